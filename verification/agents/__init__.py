"""Our H-TCP, BIC, HSTCP and Scalable beside those of ns-2 and ns-3, on the dumbbell of MesoNet."""

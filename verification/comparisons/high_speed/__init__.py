"""H-TCP, BIC, HSTCP and Scalable here, in ns-2 and in ns-3, on the dumbbell of MesoNet."""

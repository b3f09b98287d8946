"""CAKE: a shaper, tins, fair shares of hosts and flows, COBALT and a filter of acknowledgments.

The sources are tc-cake(8) for the settings, and Linux, `net/sched/sch_cake.c` of 2026, for the rules. The
design is that of T. Høiland-Jørgensen, D. Täht and J. Morton, "Piece of CAKE", LANMAN 2018 (arXiv
1804.07617), from which no rule is taken here. `scheduler.py` has the whole, and the other files the parts.
COBALT is `reference/queue/cobalt.py`.

If the sources differ, the reading follows the code:

- a host's load is the number of its bulk flows, in the tin of the flow. Until 2019 all its active flows
  counted;
- a host without bulk flows loses its place to another one of the same set. Its sparse flows remain there, and
  both hosts count as one if the flows become bulk;
- a flow that becomes active gets its quantum with the same dither as a flow whose turn ends (since 2025);
- codepoint 1 is LE and belongs to the Bulk tin; the manual page also lists it, as TOS1, for Video;
- the manual page gives the Voice tin of diffserv3 a "reduced Codel interval"; the code gives it none;
- the comments of `cake_ack_filter` end the search at the first acknowledgment in aggressive mode. By the code
  both modes drop the older of two; the aggressive one also drops one that is next to the arriving packet.

Left open there, and chosen here:

- times are in whole nanoseconds and rates in bits per second, both rounded down (Linux has bytes per second,
  and a time per byte of 34 significant bits);
- packets have the size of the network layer: there is no link-layer header to subtract, so that `raw` is an
  overhead of 0. A frame has `mtu` bytes, with its header;
- packets take up their size in memory, without the kernel's structures;
- hashes are arguments, and those of flows, sources and destinations are three functions. By default a whole
  number is its own hash. They have any number of bits, and Linux' have 32;
- `chance` is BLUE's random number, from 0 to 1, drawn for every packet while its probability is not zero
  (Linux does not draw for a packet that CoDel drops). `dither` is one from 0 to 65535, drawn for every
  quantum;
- the longest queue is that with the most bytes, and `choose` says which of several, each named by the flow of
  its head. Linux' heap may have a shorter one on top: `cake_heapify` moves an entry down by one level only,
  because it goes on with the bytes of the entry that moved up;
- roots are exact, and the first interval of a queue has its length, as in `cobalt.py`. Intervals may be
  longer than the 4.29 s of Linux' control law, which has 32 bits of nanoseconds;
- sequence numbers and timestamps do not wrap around.

Not read: automatic rates, NAT, the washing of codepoints, segmentation offload, and the overrides by filters
and marks of a firewall.
"""

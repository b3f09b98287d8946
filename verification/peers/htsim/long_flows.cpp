// One case in htsim: long TCP flows over one link, or over a dumbbell. `python -m benches` runs it.
//
//   htsim shared|dumbbell FLOWS RATE_BIT_PER_S DELAY_S ACCESS_RATE_BIT_PER_S ACCESS_DELAY_S LIMIT_PACKETS SECONDS
//
// DELAY_S is the one-way delay of the link that all share. Nothing is logged. htsim's TCP is NewReno without selective
// acknowledgments, and a packet's size includes its header.

#include <cstdint>
#include <iostream>
#include <random>
#include <streambuf>
#include <string>
#include <vector>

#include "clock.h"
#include "config.h"
#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

#include "../resources.h"

namespace
{

constexpr int PACKET = 1500;
constexpr mem_b UNLIMITED = mem_b(1) << 40;

/// One direction of a link.
struct Link
{
    Link(double rate, double delay, mem_b limit)
        : queue(static_cast<linkspeed_bps>(rate), limit, EventList::getTheEventList(), nullptr),
          pipe(timeFromSec(delay))
    {
    }

    Queue queue;
    Pipe pipe;
};

void
Over(route_t& route, Link& link)
{
    route.push_back(&link.queue);
    route.push_back(&link.pipe);
}

} // namespace

int
main(int argc, char* argv[])
{
    if (argc != 9)
    {
        std::cerr << "eight arguments are needed; see the source\n";
        return 2;
    }
    const bool dumbbell = std::string(argv[1]) == "dumbbell";
    const int flows = std::stoi(argv[2]);
    const double rate = std::stod(argv[3]);
    const double delay = std::stod(argv[4]);
    const double accessRate = std::stod(argv[5]);
    const double accessDelay = std::stod(argv[6]);
    // The packet in transmission counts.
    const mem_b limit = (std::stol(argv[7]) + 1) * PACKET;
    const double seconds = std::stod(argv[8]);

    EventList& events = EventList::getTheEventList();
    events.setEndtime(timeFromSec(seconds));
    Packet::set_packet_size(PACKET);
    TcpRtxTimerScanner timers(timeFromMs(10), events);
    Link there(rate, delay, limit);
    Link back(rate, delay, UNLIMITED);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> start(0, 1);

    // Nothing is freed: the process ends with the run.
    std::vector<TcpSink*> sinks;
    for (int flow = 0; flow < flows; ++flow)
    {
        auto* source = new TcpSrc(nullptr, nullptr, events);
        auto* sink = new TcpSink();
        auto* out = new route_t();
        auto* in = new route_t();
        const auto access = [&] { return new Link(accessRate, accessDelay, UNLIMITED); };
        if (dumbbell)
        {
            Over(*out, *access());
            Over(*in, *access());
        }
        Over(*out, there);
        Over(*in, back);
        if (dumbbell)
        {
            Over(*out, *access());
            Over(*in, *access());
        }
        out->push_back(sink);
        in->push_back(source);
        source->set_ssthresh(0xffffffff);
        source->connect(*out, *in, *sink, timeFromSec(start(random)));
        timers.registerTcp(*source);
        sinks.push_back(sink);
    }

    // htsim reports timeouts on the standard output, which is for the result.
    std::streambuf* output = std::cout.rdbuf(nullptr);
    const double setUp = CpuSeconds();
    uint64_t count = 0;
    while (events.doNextEvent())
    {
        ++count;
    }
    uint64_t packets = 0;
    for (const TcpSink* sink : sinks)
    {
        packets += sink->_cumulative_ack / PACKET;
    }
    std::cout.rdbuf(output);
    std::cout << "{\"packets\": " << packets << ", \"events\": " << count << ", \"set_up_cpu_s\": " << setUp
              << ", \"peak_memory_bytes\": " << PeakMemory() << "}\n";
}

// One case in ns-3: long SACK flows over one link, or over a dumbbell. `python -m benches` runs it.
//
//   ns3 shared|dumbbell FLOWS RATE_BIT_PER_S DELAY_S ACCESS_RATE_BIT_PER_S ACCESS_DELAY_S LIMIT_PACKETS SECONDS
//
// DELAY_S is the one-way delay of the link that all share. Nothing is traced, and devices have drop-tail queues only:
// the queueing discipline that ns-3 puts in front of them by default (FqCoDel) is taken away.

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>

#include <unistd.h>

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-linux-reno.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include "../resources.h"

using namespace ns3;

namespace
{

constexpr uint32_t SEGMENT = 1460;

/// A link, and the addresses of its two nodes on it. On request, either sends by it whatever it knows no other way for.
Ipv4InterfaceContainer
Connect(Ptr<Node> one,
        Ptr<Node> other,
        double rate,
        double delay,
        uint32_t limit,
        Ipv4AddressHelper& addresses,
        bool defaultOfOne,
        bool defaultOfOther)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
    link.SetChannelAttribute("Delay", TimeValue(Seconds(delay)));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, limit)));
    const NetDeviceContainer devices = link.Install(one, other);
    const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    addresses.NewNetwork();
    TrafficControlHelper().Uninstall(devices);
    const auto setDefault = [&](uint32_t from, uint32_t to) {
        const auto [ipv4, interface] = interfaces.Get(from);
        Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultRoute(interfaces.GetAddress(to), interface);
    };
    if (defaultOfOne)
    {
        setDefault(0, 1);
    }
    if (defaultOfOther)
    {
        setDefault(1, 0);
    }
    return interfaces;
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
    const uint32_t flows = std::stoul(argv[2]);
    const double rate = std::stod(argv[3]);
    const double delay = std::stod(argv[4]);
    const double accessRate = std::stod(argv[5]);
    const double accessDelay = std::stod(argv[6]);
    const uint32_t limit = std::stoul(argv[7]);
    const double seconds = std::stod(argv[8]);

    // 1500 bytes on the wire, and 2 of PPP: 40 bytes of headers without options. The default congestion control is
    // Cubic; this is the Reno of the others.
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpLinuxReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    // The send buffer is filled to the brim at once: it should not hold a flow back, and not be all memory either.
    const double path = 2 * (delay + (dumbbell ? 2 * accessDelay : 0));
    const double share = (rate * path / 8 + limit * 1500.0) / flows;
    const auto buffer = static_cast<uint32_t>(std::max(20 * share, 131072.0));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));

    // A router need not look through all of its addresses whether a packet is for itself.
    Config::SetDefault("ns3::Ipv4::WeakEsModel", BooleanValue(false));

    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.SetRoutingHelper(Ipv4StaticRoutingHelper());
    NodeContainer routers(2);
    internet.Install(routers);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    // Routes are written by hand: those that ns-3 finds by itself take it longer than the simulation.
    const auto shared = Connect(routers.Get(0), routers.Get(1), rate, delay, limit, addresses, true, true);
    Ipv4Address destination = shared.GetAddress(1);

    const uint32_t unlimited = std::numeric_limits<int32_t>::max();
    Ptr<UniformRandomVariable> start = CreateObject<UniformRandomVariable>();
    ApplicationContainer sinks;
    for (uint32_t flow = 0; flow < flows; ++flow)
    {
        Ptr<Node> from = routers.Get(0);
        Ptr<Node> to = routers.Get(1);
        if (dumbbell)
        {
            NodeContainer ends(2);
            internet.Install(ends);
            from = ends.Get(0);
            to = ends.Get(1);
            Connect(from, routers.Get(0), accessRate, accessDelay, unlimited, addresses, true, false);
            const auto exit = Connect(routers.Get(1), to, accessRate, accessDelay, unlimited, addresses, false, true);
            destination = exit.GetAddress(1);
        }
        const auto port = static_cast<uint16_t>(1024 + flow);
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.Add(sink.Install(to));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(destination, port));
        source.SetAttribute("SendSize", UintegerValue(SEGMENT));
        source.Install(from).Start(Seconds(start->GetValue(0, 1)));
    }

    const double setUp = CpuSeconds();
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();

    uint64_t bytes = 0;
    for (uint32_t flow = 0; flow < flows; ++flow)
    {
        bytes += DynamicCast<PacketSink>(sinks.Get(flow))->GetTotalRx();
    }
    std::cout << "{\"packets\": " << bytes / SEGMENT << ", \"events\": " << Simulator::GetEventCount()
              << ", \"set_up_cpu_s\": " << setUp << ", \"peak_memory_bytes\": " << PeakMemory() << "}\n";
    // Taking the network down is nobody's concern here.
    std::cout.flush();
    _exit(0);
}

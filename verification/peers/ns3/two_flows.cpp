// Two flows of one algorithm over a dumbbell in ns-3, the second one later; windows and queue over time.
//
//   ns3 ALGORITHM RATE_BIT_PER_S DELAY_S ACCESS_RATE_BIT_PER_S LIMIT_PACKETS SECOND_S END_S STEP_S
//
// ALGORITHM is the name of a type, such as ns3::TcpHtcp. DELAY_S is one way. Per step, a line that begins with
// `sample` has: seconds; for either flow window, threshold and packets delivered; packets waiting; packets dropped
// and sent on so far. Devices have drop-tail queues only: the discipline that ns-3 puts in front of them is taken away.

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <limits>
#include <string>

#include "ns3/bulk-send-application.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

constexpr uint32_t SEGMENT = 1460;

/// What is traced of a flow, in bytes.
struct Flow
{
    Ptr<BulkSendApplication> source;
    Ptr<PacketSink> sink;
    uint32_t window = 0;
    uint32_t threshold = 0;
};

void
Follow(uint32_t* value, uint32_t, uint32_t now)
{
    *value = now;
}

/// Traces a flow whose socket has just been made.
void
Watch(Flow* flow)
{
    const auto socket = flow->source->GetSocket();
    socket->TraceConnectWithoutContext("CongestionWindow", MakeBoundCallback(&Follow, &flow->window));
    socket->TraceConnectWithoutContext("SlowStartThreshold", MakeBoundCallback(&Follow, &flow->threshold));
}

struct Network
{
    std::array<Flow, 2> flows;
    Ptr<Queue<Packet>> queue;
    uint32_t dropped = 0;
    Time step;
};

/// A full device is not even offered a packet: what stands above it drops the packet.
void
Drop(Network* network, Ptr<const Packet>)
{
    ++network->dropped;
}

void
Sample(Network* network)
{
    std::printf("sample %.9g", Simulator::Now().GetSeconds());
    for (const Flow& flow : network->flows)
    {
        const double segment = SEGMENT;
        std::printf(" %.4f %.4f %.4f", flow.window / segment, flow.threshold / segment, flow.sink->GetTotalRx() / segment);
    }
    const auto& queue = network->queue;
    const auto waiting = queue->GetNPackets();
    std::printf(" %u %u %u\n", waiting, network->dropped, queue->GetTotalReceivedPackets() - waiting);
    Simulator::Schedule(network->step, &Sample, network);
}

/// Two nodes with a link between them: on request, either sends by it whatever it knows no other way for.
struct Link
{
    NetDeviceContainer devices;
    Ipv4InterfaceContainer interfaces;

    Link(Ptr<Node> one, Ptr<Node> other, double rate, double delay, uint32_t limit, Ipv4AddressHelper& addresses)
    {
        PointToPointHelper helper;
        helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
        helper.SetChannelAttribute("Delay", TimeValue(Seconds(delay)));
        helper.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, limit)));
        devices = helper.Install(one, other);
        interfaces = addresses.Assign(devices);
        addresses.NewNetwork();
        TrafficControlHelper().Uninstall(devices);
    }

    void SetDefault(uint32_t from) const
    {
        const auto [ipv4, interface] = interfaces.Get(from);
        Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultRoute(interfaces.GetAddress(1 - from), interface);
    }
};

} // namespace

int
main(int argc, char* argv[])
{
    if (argc != 9)
    {
        std::cerr << "eight arguments are needed; see the source\n";
        return 2;
    }
    const std::string algorithm = argv[1];
    const double rate = std::stod(argv[2]);
    const double delay = std::stod(argv[3]);
    const double accessRate = std::stod(argv[4]);
    const uint32_t limit = std::stoul(argv[5]);
    const double second = std::stod(argv[6]);
    const double end = std::stod(argv[7]);

    // 1500 bytes on the wire, and 2 of PPP: 40 bytes of headers without options. Every packet is acknowledged.
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName(algorithm)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    // Neither buffer holds a flow back: each has room for several times what fits into the network.
    const auto buffer = static_cast<uint32_t>(4 * (rate * 2 * delay / 8 + limit * 1500.0) + 131072);
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));

    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.SetRoutingHelper(Ipv4StaticRoutingHelper());
    NodeContainer routers(2);
    internet.Install(routers);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    const Link shared(routers.Get(0), routers.Get(1), rate, delay, limit, addresses);
    shared.SetDefault(0);
    shared.SetDefault(1);

    static Network network;
    network.queue = DynamicCast<PointToPointNetDevice>(shared.devices.Get(0))->GetQueue();
    network.step = Seconds(std::stod(argv[8]));
    const auto layer = routers.Get(0)->GetObject<TrafficControlLayer>();
    layer->TraceConnectWithoutContext("TcDrop", MakeBoundCallback(&Drop, &network));
    const uint32_t unlimited = std::numeric_limits<int32_t>::max();
    for (uint32_t i = 0; i < network.flows.size(); ++i)
    {
        Flow& flow = network.flows[i];
        NodeContainer ends(2);
        internet.Install(ends);
        const Link entry(ends.Get(0), routers.Get(0), accessRate, 0, unlimited, addresses);
        const Link exit(routers.Get(1), ends.Get(1), accessRate, 0, unlimited, addresses);
        entry.SetDefault(0);
        exit.SetDefault(1);
        const uint16_t port = 1024;
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        flow.sink = DynamicCast<PacketSink>(sink.Install(ends.Get(1)).Get(0));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(exit.interfaces.GetAddress(1), port));
        source.SetAttribute("SendSize", UintegerValue(SEGMENT));
        ApplicationContainer application = source.Install(ends.Get(0));
        flow.source = DynamicCast<BulkSendApplication>(application.Get(0));
        const Time start = Seconds(i == 0 ? 0 : second);
        application.Start(start);
        Simulator::Schedule(start + MicroSeconds(1), &Watch, &flow);
    }

    Simulator::Schedule(network.step, &Sample, &network);
    Simulator::Stop(Seconds(end));
    Simulator::Run();
    // Taking the network down is nobody's concern here.
    std::fflush(stdout);
    _exit(0);
}

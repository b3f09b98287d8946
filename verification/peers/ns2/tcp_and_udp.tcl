# papers/tcp_variants/scenarios/figure-1.toml, with the same choices where the paper is silent: ns tcp_and_udp.tcl <Tahoe|Reno|Newreno|Vegas> <seconds>
# Prints packets and bytes that the sink received, and throughput in kbit/s.

set variant [lindex $argv 0]
set duration [lindex $argv 1]

set ns [new Simulator]
foreach node {src1 src2 node0 node1 dst1 dst2} { set $node [$ns node] }
$ns duplex-link $src1 $node0 10Mb 10ms DropTail
$ns duplex-link $src2 $node0 10Mb 10ms DropTail
$ns duplex-link $node0 $node1 2Mb 20ms DropTail
$ns duplex-link $node1 $dst1 10Mb 10ms DropTail
$ns duplex-link $node1 $dst2 10Mb 10ms DropTail
$ns queue-limit $node0 $node1 10

# Left at ns-2's defaults: packets of 1000 bytes, a window of 20.
set tcp [expr {$variant eq "Tahoe" ? [new Agent/TCP] : [new Agent/TCP/$variant]}]
$tcp set windowInit_ 1
set sink [new Agent/TCPSink]
$ns attach-agent $src1 $tcp
$ns attach-agent $dst1 $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp

set udp [new Agent/UDP]
set null [new Agent/Null]
$ns attach-agent $src2 $udp
$ns attach-agent $dst2 $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 1000
$cbr set rate_ 1Mb
$cbr attach-agent $udp

proc finish {} {
    global tcp sink duration
    set bytes [$sink set bytes_]
    puts "packets [expr [$tcp set ack_] + 1] bytes $bytes kbit/s [expr $bytes * 8.0 / 1000 / $duration]"
    exit 0
}

$ns at 0.001 "$cbr start"
$ns at 0.0 "$ftp start"
$ns at $duration finish
$ns run

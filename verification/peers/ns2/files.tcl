# The base experiment of Burst TCP (papers/burst_tcp) with given files: ns files.tcl <files> <variant> <times>
# A line of <files> is: start in s, packets, pair of hosts from 0, and 0 for left to right or 1 for right to left.
# Variants are Newreno, Reno, Sack1. <times> gets a line per file that was done: its number, and when.
# A fourth argument delays acknowledgments by 200 ms: "syn" those of SYNs, too, as ns-2 did until February 2010, "data" not.
# Everything else but the size of packets and the queues between the routers is left at ns-2's defaults.

lassign $argv files variant times delayed
if {$delayed ne ""} {
    Agent/TCPSink/DelAck set interval_ 200ms
    Agent/TCPSink set SYN_immediate_ack_ [expr {$delayed ne "syn"}]
}

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
for {set pair 0} {$pair < 5} {incr pair} {
    set source($pair) [$ns node]
    set receiver($pair) [$ns node]
    $ns duplex-link $source($pair) $left 10Mb 5ms DropTail
    $ns duplex-link $right $receiver($pair) 10Mb 5ms DropTail
}
$ns duplex-link $left $right 1.5Mb 35ms DropTail
$ns queue-limit $left $right 7
$ns queue-limit $right $left 7

set output [open $times w]
set input [open $files]
for {set number 0} {[gets $input line] >= 0} {incr number} {
    lassign $line start packets pair backward
    set ends [list $source($pair) $receiver($pair)]
    if {$backward} { set ends [lreverse $ends] }
    set tcp [new Agent/TCP/$variant]
    $tcp set packetSize_ 1024
    set kind [expr {$variant eq "Sack1" ? "/Sack1" : ""}]
    set sink [new Agent/TCPSink$kind[expr {$delayed eq "" ? "" : "/DelAck"}]]
    $ns attach-agent [lindex $ends 0] $tcp
    $ns attach-agent [lindex $ends 1] $sink
    $ns connect $tcp $sink
    set file [new Application/FTP]
    $file attach-agent $tcp
    $tcp proc done {} "puts $output \"$number \[$ns now\]\""
    $ns at $start "$file produce $packets"
}
$ns at 1000 "close $output; exit 0"
$ns run

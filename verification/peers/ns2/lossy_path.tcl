# One flow over a path that loses every packet with the same probability, independently, and never queues.
#
#   ns lossy_path.tcl AGENT P RTT_S SECONDS SEED NAME=VALUE..
#
# AGENT is Tahoe, Reno, Newreno, Sack1 or TFRC; NAME is a variable of ns-2's Agent/TCP, or Agent/TFRC. It prints the packets sent, and the
# timeouts.

lassign $argv agent p rtt seconds seed

source [file join [file dirname [info script]] settings.tcl]

tcp_settings 500
Agent/TCP set maxrto_ 60
Agent/TFRC set packetSize_ 500
set_variables [expr {$agent eq "TFRC" ? "Agent/TFRC" : "Agent/TCP"}] [lrange $argv 5 end]
ns-random $seed

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 100Mb [expr {$rtt / 2}] DropTail
$ns queue-limit $left $right 100000
set loss [new ErrorModel]
$loss unit pkt
$loss set rate_ $p
$loss ranvar [new RandomVariable/Uniform]
$loss drop-target [new Agent/Null]
$ns lossmodel $loss $left $right

switch $agent {
    Tahoe { set agents {TCP TCPSink} }
    Sack1 { set agents {TCP/Sack1 TCPSink/Sack1} }
    TFRC { set agents {TFRC TFRCSink} }
    default { set agents [list TCP/$agent TCPSink] }
}
set sender [new Agent/[lindex $agents 0]]
set sink [new Agent/[lindex $agents 1]]
$ns attach-agent $left $sender
$ns attach-agent $right $sink
$ns connect $sender $sink
set ftp [new Application/FTP]
$ftp attach-agent $sender
$ns at 0 "$ftp start"
$ns at $seconds {
    set timeouts [expr {$agent eq "TFRC" ? 0 : [$sender set nrexmit_]}]
    puts "[$sender set ndatapack_] $timeouts"
    exit 0
}
$ns run

# The packets 3 and 9 of a first window of 16 are lost, of 60.
#
#   ns two_losses.tcl AGENT BUGFIX
#
# It prints the packets sent again, and the timeouts.

lassign $argv agent bug_fix
Agent/TCP set bugFix_ $bug_fix
Agent/TCP set windowInit_ 16
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 10000

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 100Mb 50ms DropTail
$ns queue-limit $left $right 1000
set loss [new ErrorModel/List]
$loss droplist {3 9}
$loss drop-target [new Agent/Null]
$ns lossmodel $loss $left $right

set sender [new Agent/TCP/$agent]
set sink [new Agent/TCPSink]
$ns attach-agent $left $sender
$ns attach-agent $right $sink
$ns connect $sender $sink
$ns at 0 "$sender advanceby 60"
$ns at 60 {
    puts "[$sender set nrexmitpack_] [$sender set nrexmit_]"
    exit 0
}
$ns run

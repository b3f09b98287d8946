# Two flows of an algorithm from Linux over a dumbbell in ns-2, the second one later; windows and queue over time.
#
#   ns ns2.tcl ALGORITHM RATE_BIT_PER_S DELAY_S ACCESS_RATE_BIT_PER_S LIMIT_PACKETS SECOND_S END_S STEP_S
#
# ALGORITHM is what select_ca takes. DELAY_S is one way. Per step, a line that begins with `sample` has: seconds; for
# either flow window, threshold and packets acknowledged; packets waiting; packets dropped and sent on so far.

lassign $argv algorithm rate delay access_rate limit second end step

# 1500 bytes on the wire: ns-2 adds 40 bytes of headers and 10 of timestamps. Every packet is acknowledged.
Agent/TCP set packetSize_ 1450
Agent/TCP set timestamps_ true
Agent/TCP set window_ 1000000
Agent/TCP set minrto_ 1
Agent/TCPSink set ts_echo_rfc1323_ true
# ns-2's queue counts what waits, not the packet being transmitted.
Queue set limit_ 1000000

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right $rate $delay DropTail
$ns queue-limit $left $right $limit
set queue [$ns monitor-queue $left $right ""]

foreach flow {1 2} start [list 0 $second] {
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $left $access_rate 0 DropTail
    $ns duplex-link $right $to $access_rate 0 DropTail
    set tcp($flow) [new Agent/TCP/Linux]
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent $from $tcp($flow)
    $ns attach-agent $to $sink
    $ns connect $tcp($flow) $sink
    $tcp($flow) select_ca $algorithm
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($flow)
    $ns at $start "$ftp start"
}

proc sample {} {
    global ns tcp queue step
    set row [list [$ns now]]
    foreach flow {1 2} {
        lappend row [$tcp($flow) set cwnd_] [$tcp($flow) set ssthresh_] [expr {[$tcp($flow) set ack_] + 1}]
    }
    puts "sample $row [$queue set pkts_] [$queue set pdrops_] [$queue set pdepartures_]"
    $ns at [expr {[$ns now] + $step}] sample
}

$ns at $step sample
$ns at $end {exit 0}
$ns run

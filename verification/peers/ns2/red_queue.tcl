# Long SACK flows, or Poisson datagrams, through a RED queue, papers' parameters: its drops, marks none, and its length.
#
#   ns red_queue.tcl FLOWS RATE_BIT_PER_S DELAY_S LIMIT_PACKETS WARM_UP_S SECONDS SEED NAME=VALUE..
#
# DELAY_S is one way over the bottleneck; each flow's access adds 1 ms in either direction. NAME is a variable of ns-2's
# Queue/RED. It prints the packets dropped and sent on after WARM_UP_S, and the average number of packets waiting.

lassign $argv flows rate delay limit warm_up seconds seed

source [file join [file dirname [info script]] settings.tcl]

tcp_settings 1000
Agent/TCP set minrto_ 1
Queue set limit_ 10000
red_settings
set_variables Queue/RED [lrange $argv 7 end]
ns-random $seed

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right $rate $delay RED
$ns simplex-link $right $left $rate $delay DropTail
$ns queue-limit $left $right $limit
set queue [$ns monitor-queue $left $right ""]
set waiting [$queue get-pkts-integrator]

set random [new RNG]
$random seed $seed
for {set i 0} {$i < $flows} {incr i} {
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $left 100Mb 1ms DropTail
    $ns duplex-link $right $to 100Mb 1ms DropTail
    set tcp [new Agent/TCP/Sack1]
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent $from $tcp
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [$random uniform 0 1] "$ftp start"
}

proc now_counted {} {
    global ns queue waiting
    $waiting newpoint [$ns now] [$waiting set lasty_]
    return [list [$queue set pdrops_] [$queue set pdepartures_] [$waiting set sum_]]
}

$ns at $warm_up {set before [now_counted]}
$ns at $seconds {
    lassign $before drops departures sum
    lassign [now_counted] drops_end departures_end sum_end
    set mean [expr {($sum_end - $sum) / ($seconds - $warm_up)}]
    puts "[expr {$drops_end - $drops}] [expr {$departures_end - $departures}] $mean"
    exit 0
}
$ns run

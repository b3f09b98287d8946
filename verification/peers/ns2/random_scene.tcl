# A chain of links with long TCP flows and Poisson datagrams, as verification/comparisons/random_scenes.py draws them:
#   ns random_scene.tcl SEED WARM_UP_S SECONDS DELAYED OVERHEAD_S HOPS FLOWS DATAGRAMS NAME=VALUE..
#
# NAME is a variable of ns-2's Agent/TCP. HOPS, FLOWS and DATAGRAMS are lists, ":" between items and "," within:
#   a hop:       rate in bit/s, delay in s, packets that may wait, DropTail or RED
#   a flow:      agent (Reno, Newreno, Sack1, Vegas, or Linux/ALGORITHM), first hop, hop after the last, delay of the
#                access in s, start in s
#   a datagram:  hop, rate in bit/s
#
# It prints a line for each flow, with packets delivered and timeouts after WARM_UP_S, and one for each hop, with
# packets dropped and sent on.

lassign $argv seed warm_up seconds delayed overhead hops flows datagrams

source [file join [file dirname [info script]] settings.tcl]

# Acknowledgments have 40 bytes.
tcp_settings 1000
Agent/TCP set minrto_ 1
Agent/TCP set overhead_ $overhead
Agent/UDP set packetSize_ 1000
Queue set limit_ 10000
red_settings
set_variables Agent/TCP [lrange $argv 8 end]
ns-random $seed

set ns [new Simulator]
set at 0
set node(0) [$ns node]
foreach hop [split $hops :] {
    lassign [split $hop ,] rate delay buffer queue
    set next [expr {$at + 1}]
    set node($next) [$ns node]
    $ns simplex-link $node($at) $node($next) $rate $delay $queue
    $ns simplex-link $node($next) $node($at) $rate $delay DropTail
    # One more than may wait: ns-2 counts the packet that is offered.
    $ns queue-limit $node($at) $node($next) [expr {$buffer + 1}]
    set monitor($at) [$ns monitor-queue $node($at) $node($next) ""]
    set at $next
}

set count 0
foreach flow [split $flows :] {
    lassign [split $flow ,] agent first last delay start
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $node($first) 100Mb $delay DropTail
    $ns duplex-link $node($last) $to 100Mb 1ms DropTail
    lassign [split $agent /] agent algorithm
    set tcp [new Agent/TCP/$agent]
    set sink [expr {$agent in {Sack1 Linux} ? "TCPSink/Sack1" : "TCPSink"}]
    set sink [new Agent/$sink[expr {$delayed ? "/DelAck" : ""}]]
    $ns attach-agent $from $tcp
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    if {$algorithm ne ""} { $ns at 0 "$tcp select_ca $algorithm" }
    # Vegas' agent adds no header to its packets.
    if {$agent eq "Vegas"} { $tcp set packetSize_ 1000 }
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    set sender($count) $tcp
    incr count
}

foreach datagram [split $datagrams :] {
    lassign [split $datagram ,] hop rate
    set udp [new Agent/UDP]
    set null [new Agent/Null]
    $ns attach-agent $node($hop) $udp
    $ns attach-agent $node([expr {$hop + 1}]) $null
    $ns connect $udp $null
    # Bursts of one packet after exponentially distributed pauses are a Poisson process.
    set source [new Application/Traffic/Exponential]
    $source set packetSize_ 1000
    $source set burst_time_ 0
    $source set idle_time_ [expr {8000.0 / $rate}]
    $source set rate_ 1e12
    $source attach-agent $udp
    $ns at 0 "$source start"
}

proc counted {} {
    global count sender at monitor
    set found {}
    for {set i 0} {$i < $count} {incr i} {
        lappend found [list [expr {[$sender($i) set ack_] + 1}] [$sender($i) set nrexmit_]]
    }
    for {set i 0} {$i < $at} {incr i} {
        lappend found [list [$monitor($i) set pdrops_] [$monitor($i) set pdepartures_]]
    }
    return $found
}

$ns at $warm_up {set before [counted]}
$ns at $seconds {
    foreach old $before new [counted] {
        puts "[expr {[lindex $new 0] - [lindex $old 0]}] [expr {[lindex $new 1] - [lindex $old 1]}]"
    }
    exit 0
}
$ns run

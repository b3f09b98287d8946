# Vegas beside datagrams, beside Reno, or beside itself.
#
#   ns vegas.tcl SCENE AGENT WARM_UP_S SECONDS SEED OVERHEAD_S START_S..
#
# SCENE is datagrams, reno or two; AGENT is Vegas, Linux or Linux2; senders take up to OVERHEAD_S over each packet. It prints the
# goodput of each flow in kbit/s, the timeouts of the last flow, and the packets that the bottleneck dropped and transmitted,
# between WARM_UP_S and SECONDS. The first Linux agent of a process leaves slow start in its second round trip, whenever it starts:
# the algorithm does not set its sequence number of the round before, for which the kernel clears memory and ns-2 does not. With
# Linux2 that agent is one that sends nothing.

lassign $argv scene agent warm_up seconds seed overhead
set starts [lrange $argv 6 end]
ns-random $seed

set ns [new Simulator]
source [file join [file dirname [info script]] settings.tcl]
tcp_settings 1000
Agent/TCP set minrto_ 0.2
Agent/TCP set overhead_ $overhead
# Vegas' agent adds no header to its packets.
Agent/TCP/Vegas set packetSize_ 1000
if {$agent eq "Linux2"} {
    set agent Linux
    set unused [new Agent/TCP/Linux]
    $unused select_ca vegas
}
set left [$ns node]
set right [$ns node]

proc flow {agent access start} {
    global ns left right
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $left 100Mb $access DropTail
    $ns queue-limit $from $left 100000
    $ns duplex-link $right $to 100Mb 1ms DropTail
    if {$agent eq "Linux"} {
        set sender [new Agent/TCP/Linux]
        $sender select_ca vegas
        $sender set timestamps_ true
        set sink [new Agent/TCPSink/Sack1]
        $sink set ts_echo_rfc1323_ true
    } else {
        set sender [new Agent/TCP/$agent]
        set sink [new Agent/TCPSink]
    }
    $ns attach-agent $from $sender
    $ns attach-agent $to $sink
    $ns connect $sender $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $sender
    $ns at $start "$ftp start"
    return $sender
}

proc bottleneck {rate delay buffer} {
    global ns left right
    $ns duplex-link $left $right $rate $delay DropTail
    # One packet fewer than the limit may wait.
    $ns queue-limit $left $right [expr {$buffer + 1}]
    $ns queue-limit $right $left 10000
}

lassign $starts first second
switch $scene {
    datagrams {
        bottleneck 2Mb 20ms 20
        set senders [list [flow $agent 9ms $first]]
        set source [$ns node]
        $ns duplex-link $source $left 100Mb 1ms DropTail
        set udp [new Agent/UDP]
        $udp set packetSize_ 1000
        set null [new Agent/Null]
        $ns attach-agent $source $udp
        $ns attach-agent $right $null
        $ns connect $udp $null
        # Bursts of one packet, exponential gaps of 8 ms: 1 Mbit/s.
        set traffic [new Application/Traffic/Exponential]
        $traffic set packetSize_ 1000
        $traffic set burst_time_ 0ms
        $traffic set idle_time_ 8ms
        $traffic set rate_ 10Gb
        $traffic attach-agent $udp
        $ns at 0 "$traffic start"
    }
    reno {
        bottleneck 2Mb 20ms 20
        set senders [list [flow $agent 1ms $first] [flow Reno 61ms $second]]
    }
    two {
        bottleneck 100Mb 38ms 1000
        set senders [list [flow $agent 1ms $first] [flow $agent 1ms $second]]
    }
}

set queue [$ns monitor-queue $left $right ""]
proc counted {} {
    global senders queue
    set found {}
    foreach sender $senders {
        lappend found [$sender set ack_]
    }
    lappend found [[lindex $senders end] set nrexmit_] [$queue set pdrops_] [$queue set pdepartures_]
}
$ns at $warm_up { set before [counted] }
$ns at $seconds {
    set found {}
    foreach now [counted] then $before {
        lappend found [expr {$now - $then}]
    }
    set goodputs {}
    foreach packets [lrange $found 0 end-3] {
        lappend goodputs [expr {$packets * 7.68 / ($seconds - $warm_up)}]
    }
    # Linux' agent prints lines of its own.
    puts "found $goodputs [lrange $found end-2 end]"
    exit 0
}
$ns run

# XCP: long flows of unlike round-trip times through one XCP router.
#
#   ns xcp.tcl RATE_BIT_PER_S BUFFER_PACKETS WARM_UP_S SECONDS (ONE_WAY_DELAY_MS START_S)..
#
# for each flow the delay from the sender to its receiver, of which 11 ms are before and on the bottleneck. It prints what is
# acknowledged of each flow in Mbit/s, with headers; then the share of the bottleneck's time that it transmits, the mean and the most packets waiting,
# and the packets dropped: from WARM_UP_S to SECONDS.

lassign $argv rate buffer warm_up seconds
set flows [lrange $argv 4 end]

source [file join [file dirname [info script]] settings.tcl]
# 1500 bytes on the wire: ns-2 adds 40 bytes of headers and 10 of timestamps. A tick of 1 ms.
tcp_settings 1490
Agent/TCP set minrto_ 0.2
Agent/TCP set tcpTick_ 0.001

set ns [new Simulator]
set source [$ns node]
set router [$ns node]
set exchange [$ns node]
$ns duplex-link $source $router 1Gb 1ms DropTail
$ns queue-limit $source $router 1000000
$ns duplex-link $router $exchange $rate 10ms XCP
# XCP packets have one of the link's queues of their own. A router is told the capacity; only its queue of RED is told the link.
foreach {from to} [list $router $exchange $exchange $router] {
    set link [$ns link $from $to]
    [$link queue] set-link-capacity [[$link link] set bandwidth_]
}
$ns queue-limit $router $exchange $buffer
$ns queue-limit $exchange $router 1000000
set queue [$ns monitor-queue $router $exchange ""]
set sizes [$queue get-pkts-integrator]

set senders {}
foreach {delay start} $flows {
    set end [$ns node]
    $ns duplex-link $exchange $end 1Gb [expr {$delay - 11}]ms DropTail
    set sender [new Agent/TCP/Reno/XCP]
    set sink [new Agent/TCPSink/XCPSink]
    $ns attach-agent $source $sender
    $ns attach-agent $end $sink
    $ns connect $sender $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $sender
    $ns at $start "$ftp start"
    lappend senders $sender
}

set most 0
proc watch {} {
    global ns queue most
    set waiting [$queue set pkts_]
    if {$waiting > $most} { set most $waiting }
    $ns at [expr {[$ns now] + 0.001}] watch
}

# The packets acknowledged of each flow; those dropped, the bytes sent on, and the integral of the packets waiting.
proc counted {} {
    global ns senders queue sizes
    set found {}
    foreach sender $senders {
        lappend found [$sender set ack_]
    }
    $sizes newpoint [$ns now] [$sizes set lasty_]
    lappend found [$queue set pdrops_] [$queue set bdepartures_] [$sizes set sum_]
}

$ns at 0 watch
$ns at $warm_up {
    set before [counted]
    set most 0
}
$ns at $seconds {
    set found {}
    foreach now [counted] then $before {
        lappend found [expr {$now - $then}]
    }
    set span [expr {$seconds - $warm_up}]
    set shares {}
    foreach packets [lrange $found 0 end-3] {
        lappend shares [expr {$packets * 1500 * 8e-6 / $span}]
    }
    lassign [lrange $found end-2 end] dropped bytes waited
    puts "found $shares [expr {8.0 * $bytes / ($rate * $span)}] [expr {$waited / $span}] $most $dropped"
    exit 0
}
$ns run

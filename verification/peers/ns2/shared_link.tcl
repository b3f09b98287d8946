# papers/sub_packet/scenarios/link.toml:
#   ns shared_link.tcl AGENT FLOWS RATE_BIT_PER_S BUFFER_PACKETS SECONDS SLICE_S SEED NAME=VALUE..
# where AGENT is Sack1 or TFRC, and NAME a variable of ns-2's Agent/TCP (overhead_, minrto_, ..) or Agent/TFRC. Two flows per user,
# starting within 10 s.
#
# Per slice a line with the seconds, the packets dropped and sent on at the bottleneck so far, and for each flow the packets
# delivered so far (of TFRC: sent); then processor seconds.

lassign $argv agent flows rate buffer seconds slice seed

source [file join [file dirname [info script]] settings.tcl]

# Acknowledgments have 40 bytes. The receiver's window is ns-2's default.
tcp_settings 500
Agent/TCP set window_ 20
Agent/TCP set maxrto_ 64
Agent/TFRC set packetSize_ 500
set_variables [expr {$agent eq "TFRC" ? "Agent/TFRC" : "Agent/TCP"}] [lrange $argv 7 end]
Queue set limit_ 10000

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right $rate 98ms DropTail
$ns queue-limit $left $right $buffer
set queue [$ns monitor-queue $left $right ""]

set random [new RNG]
$random seed $seed
for {set user 0} {$user < ($flows + 1) / 2} {incr user} {
    set from($user) [$ns node]
    set to($user) [$ns node]
    $ns duplex-link $from($user) $left 10Mb 1ms DropTail
    $ns duplex-link $right $to($user) 10Mb 1ms DropTail
}
for {set i 0} {$i < $flows} {incr i} {
    set user [expr {$i % (($flows + 1) / 2)}]
    if {$agent eq "TFRC"} {
        set tcp($i) [new Agent/TFRC]
        set sink [new Agent/TFRCSink]
    } else {
        set tcp($i) [new Agent/TCP/Sack1]
        set sink [new Agent/TCPSink/Sack1]
    }
    $ns attach-agent $from($user) $tcp($i)
    $ns attach-agent $to($user) $sink
    $ns connect $tcp($i) $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    $ns at [$random uniform 0 10] "$ftp start"
}

proc sample {} {
    global ns agent tcp flows queue slice
    set row {}
    for {set i 0} {$i < $flows} {incr i} {
        lappend row [expr {$agent eq "TFRC" ? [$tcp($i) set ndatapack_] : [$tcp($i) set ack_] + 1}]
    }
    puts "[$ns now] [$queue set pdrops_] [$queue set pdepartures_] $row"
    $ns at [expr {[$ns now] + $slice}] sample
}

proc finish {} {
    set file [open /proc/self/stat]
    set fields [split [read $file]]
    puts "processor [expr {([lindex $fields 13] + [lindex $fields 14]) / 100.0}]"
    exit 0
}

$ns at $slice sample
$ns at [expr {$seconds + 0.001}] finish
$ns run

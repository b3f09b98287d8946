# Settings shared by the scripts that source this file.

# Packets of BYTES on the wire, an initial window of two, and no limit by the receiver: ns-2 adds a header of 40 bytes to
# TCP's payload.
proc tcp_settings {bytes} {
    Agent/TCP set packetSize_ [expr {$bytes - 40}]
    Agent/TCP set window_ 10000
    Agent/TCP set windowInit_ 2
}

# Floyd and Jacobson's RED in packets of 1000 bytes, gentle, without adaptation; ns-2's defaults count bytes. wait_ stays.
proc red_settings {} {
    Queue/RED set bytes_ false
    Queue/RED set queue_in_bytes_ false
    Queue/RED set thresh_ 5
    Queue/RED set maxthresh_ 15
    Queue/RED set q_weight_ 0.002
    Queue/RED set linterm_ 10
    Queue/RED set mean_pktsize_ 1000
    Queue/RED set gentle_ true
    Queue/RED set adaptive_ 0
}

# Sets variables of a class from a list of NAME=VALUE.
proc set_variables {class settings} {
    foreach setting $settings {
        lassign [split $setting =] name value
        $class set $name $value
    }
}

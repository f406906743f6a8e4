// The cases of SequencingTableTests, a state at a time, in the order of Protocol/sequencing.md.

extension SequencingCell {
    static let all = [cold, live, gap, reconciling, stale].flatMap { $0 }

    private static let cold: [SequencingCell] = [
        SequencingCell("cold/in-order", from: .cold, gives: "live 6; applied 1; wrote f6") {
            try $0.event(6)
        },
        SequencingCell("cold/skipping", from: .cold, gives: "live 6; applied 1; wrote f6") {
            try $0.event(6, prev: 2)
        },
        SequencingCell("cold/duplicate", from: .cold, gives: "live 0; applied 1; wrote f0") {
            try $0.event(0)
        },
        SequencingCell("cold/ahead", from: .cold, gives: "live 600; applied 1; wrote f600") {
            try $0.event(600)
        },
        SequencingCell("cold/hole", from: .cold, gives: "gap 5; quarantined 1") {
            try $0.hole(6)
        },
        SequencingCell("cold/hole", "with prev", from: .cold, gives: "gap 2; quarantined 1") {
            try $0.hole(6, prev: 2)
        },
        SequencingCell("cold/hole", "before the first", from: .cold, gives: "gap -; quarantined 1") {
            try $0.hole(0)
        },
        SequencingCell("cold/unsequenced", "after a reset", from: .anew, gives: "stale -; epoch b; applied 1; wrote u")
        {
            try $0.unsequenced()
        },
        SequencingCell("cold/unsequenced", from: .cold, gives: "cold -; applied 1") {
            try $0.unsequenced(epoch: "z")
        },
        SequencingCell("cold/heartbeat-equal", from: .cold, gives: "live 5; applied 1") {
            try $0.heartbeat(5)
        },
        SequencingCell("cold/heartbeat-ahead", from: .cold, hasUpstream: true, gives: "live 500; applied 1") {
            try $0.heartbeat(500)
        },
        SequencingCell("cold/heartbeat-behind", from: .cold, gives: "live 0; applied 1") {
            try $0.heartbeat(0)
        },
        SequencingCell("cold/first-epoch", from: .cold, gives: "live 6; epoch a; applied 1; wrote f6") {
            try $0.event(6, epoch: "a")
        },
        SequencingCell("cold/first-epoch", "from a heartbeat", from: .cold, gives: "live 6; epoch a; applied 1") {
            try $0.heartbeat(6, epoch: "a")
        },
        SequencingCell("cold/other-epoch", from: .anew, gives: "stale 3; epoch c; applied 1; wrote f3") {
            try $0.event(3, epoch: "c")
        },
        SequencingCell("cold/other-epoch", "from a heartbeat", from: .anew, gives: "stale 4; epoch c; applied 1") {
            try $0.heartbeat(4, epoch: "c")
        },
        SequencingCell("cold/reset", from: .cold, gives: "stale -; epoch b; applied 1") {
            try $0.reset("b")
        },
        SequencingCell("cold/reset", "with its own sequence", from: .cold, gives: "stale 4; epoch b; applied 1") {
            try $0.reset("b", sequence: 4)
        },
        SequencingCell("cold/window-expired", from: .cold, gives: "cold -") {
            $0.windowExpires()
        },
        SequencingCell("cold/end-of-input", from: .cold, gives: "cold -") {
            $0.inputEnds()
        },
        SequencingCell(
            "cold/held-full", from: .cold, heldEventCountMax: 1, heldByteCountMax: 1, gives: "cold -; applied 1"
        ) {
            try $0.unsequenced()
        },
        SequencingCell("cold/progress", from: .cold, hasUpstream: true, gives: "cold -") {
            try $0.answer([SequencingRig.event(6)])
        },
        SequencingCell("cold/empty", from: .cold, hasUpstream: true, gives: "cold -") {
            try $0.answer([])
        },
        SequencingCell("cold/failed", from: .cold, hasUpstream: true, gives: "cold -") {
            $0.fail()
        },
        SequencingCell("cold/final", from: .cold, hasUpstream: true, gives: "cold -") {
            $0.fail(isFinal: true)
        },
        SequencingCell("cold/outdated", from: .cold, hasUpstream: true, gives: "cold -") {
            try $0.answer([SequencingRig.event(6)], attempt: 0)
        },
    ]

    private static let live: [SequencingCell] = [
        SequencingCell("live/in-order", from: .live, gives: "live 6; applied 1; wrote f6") {
            try $0.event(6)
        },
        SequencingCell("live/skipping", from: .live, gives: "live 9; applied 1; wrote f9") {
            try $0.event(9, prev: 3)
        },
        SequencingCell("live/duplicate", "the last again", from: .live, gives: "live 5; duplicate 1") {
            try $0.event(5)
        },
        SequencingCell("live/duplicate", "an older one", from: .live, gives: "live 5; duplicate 1") {
            try $0.event(2)
        },
        SequencingCell("live/ahead", from: .live, gives: "gap 5") {
            try $0.event(8)
        },
        SequencingCell("live/hole", "at the cursor", from: .live, gives: "live 5; quarantined 1") {
            try $0.hole(5)
        },
        SequencingCell("live/hole", "of another epoch", from: .liveNamed, gives: "live 5; epoch a; quarantined 1") {
            try $0.hole(6, epoch: "b")
        },
        SequencingCell("live/hole", "next", from: .live, gives: "gap 5; quarantined 1") {
            try $0.hole(6)
        },
        SequencingCell("live/hole", "ahead", from: .live, gives: "gap 5; quarantined 1") {
            try $0.hole(9)
        },
        SequencingCell("live/unsequenced", from: .live, gives: "live 5; applied 1; wrote u") {
            try $0.unsequenced(epoch: "z")
        },
        SequencingCell("live/heartbeat-equal", from: .live, gives: "live 5; applied 1") {
            try $0.heartbeat(5)
        },
        SequencingCell(
            "live/heartbeat-ahead", "with an upstream", from: .live, hasUpstream: true,
            gives: "reconciling 5; applied 1; ask from 6, attempt 1"
        ) {
            try $0.heartbeat(9)
        },
        SequencingCell("live/heartbeat-ahead", "without one", from: .live, gives: "gap 5; applied 1") {
            try $0.heartbeat(9)
        },
        SequencingCell("live/heartbeat-behind", from: .live, gives: "stale 3; applied 1") {
            try $0.heartbeat(3)
        },
        SequencingCell("live/first-epoch", "in order", from: .live, gives: "live 6; epoch a; applied 1; wrote f6") {
            try $0.event(6, epoch: "a")
        },
        SequencingCell("live/first-epoch", "a duplicate", from: .live, gives: "live 5; epoch a; duplicate 1") {
            try $0.event(5, epoch: "a")
        },
        SequencingCell("live/first-epoch", "ahead", from: .live, gives: "gap 5; epoch a") {
            try $0.event(8, epoch: "a")
        },
        SequencingCell("live/first-epoch", "from a heartbeat", from: .live, gives: "live 5; epoch a; applied 1") {
            try $0.heartbeat(5, epoch: "a")
        },
        SequencingCell("live/other-epoch", from: .liveNamed, gives: "stale 2; epoch b; applied 1; wrote f2") {
            try $0.event(2, epoch: "b")
        },
        SequencingCell("live/other-epoch", "from a heartbeat", from: .liveNamed, gives: "stale 9; epoch b; applied 1") {
            try $0.heartbeat(9, epoch: "b")
        },
        SequencingCell("live/reset", "a duplicate", from: .liveNamed, gives: "live 5; epoch a; duplicate 1") {
            try $0.reset("a", sequence: 5)
        },
        SequencingCell("live/reset", "without a sequence", from: .liveNamed, gives: "stale -; epoch b; applied 1") {
            try $0.reset("b")
        },
        SequencingCell("live/reset", "with its own sequence", from: .liveNamed, gives: "stale 1; epoch b; applied 1") {
            try $0.reset("b", sequence: 1)
        },
        SequencingCell("live/reset", "said by the old log", from: .liveNamed, gives: "stale -; epoch b; applied 1") {
            try $0.reset("b", sequence: 6, envelopeEpoch: "a")
        },
        SequencingCell("live/reset", "to the same log", from: .liveNamed, gives: "stale -; epoch a; applied 1") {
            try $0.reset("a")
        },
        SequencingCell("live/window-expired", from: .live, gives: "live 5") {
            $0.windowExpires()
        },
        SequencingCell("live/end-of-input", from: .live, gives: "live 5") {
            $0.inputEnds()
        },
        SequencingCell(
            "live/held-full", "without an upstream", from: .live, heldByteCountMax: 1,
            gives: "stale 8; lost 6-7; applied 1; wrote f8"
        ) {
            try $0.event(8)
        },
        SequencingCell(
            "live/held-full", "with an upstream", from: .live, hasUpstream: true, heldByteCountMax: 1,
            gives: "reconciling 5; ask from 6, attempt 1"
        ) {
            try $0.event(8)
        },
        SequencingCell("live/progress", from: .live, hasUpstream: true, gives: "live 5") {
            try $0.answer([SequencingRig.event(6)])
        },
        SequencingCell("live/empty", from: .live, hasUpstream: true, gives: "live 5") {
            try $0.answer([])
        },
        SequencingCell("live/failed", from: .live, hasUpstream: true, gives: "live 5") {
            $0.fail()
        },
        SequencingCell("live/final", from: .live, hasUpstream: true, gives: "live 5") {
            $0.fail(isFinal: true)
        },
        SequencingCell("live/outdated", from: .live, hasUpstream: true, gives: "live 5") {
            try $0.answer([SequencingRig.event(6)], attempt: 0)
        },
    ]

    private static let gap: [SequencingCell] = [
        SequencingCell("gap/in-order", "something is still missing", from: .gap, gives: "gap 6; applied 1; wrote f6") {
            try $0.event(6)
        },
        SequencingCell(
            "gap/in-order", "nothing is missing any more", from: .gap, gives: "live 8; applied 3; wrote f6 f7 f8"
        ) {
            try $0.event(6)
            try $0.event(7)
        },
        SequencingCell("gap/skipping", from: .gap, gives: "live 8; applied 2; wrote f7 f8") {
            try $0.event(7, prev: 5)
        },
        SequencingCell(
            "gap/skipping", "past what is held", from: .gap,
            gives: "live 12; applied 1; duplicate 1; quarantined 1; wrote f12"
        ) {
            try $0.hole(10)
            try $0.event(12, prev: 5)
        },
        SequencingCell("gap/duplicate", "of what is held", from: .gap, gives: "gap 5; duplicate 1") {
            try $0.event(8)
        },
        SequencingCell("gap/duplicate", "at the cursor or below", from: .gap, gives: "gap 5; duplicate 1") {
            try $0.event(4)
        },
        SequencingCell("gap/ahead", from: .gap, gives: "gap 5") {
            try $0.event(10)
        },
        SequencingCell(
            "gap/hole", "of what is held", from: .gap, gives: "live 8; applied 2; quarantined 1; wrote f7 f8"
        ) {
            try $0.hole(8)
            try $0.event(7, prev: 5)
        },
        SequencingCell(
            "gap/hole", "behind what is held", from: .gap, gives: "gap 8; applied 2; quarantined 1; wrote f7 f8"
        ) {
            try $0.hole(9)
            try $0.event(7, prev: 5)
        },
        SequencingCell("gap/hole", "below the cursor", from: .gap, gives: "gap 5; quarantined 1") {
            try $0.hole(4)
        },
        SequencingCell(
            "gap/hole", "of another epoch", from: .gapNamed,
            gives: "live 8; epoch a; applied 2; quarantined 1; wrote f7 f8"
        ) {
            try $0.hole(9, epoch: "b")
            try $0.event(7, prev: 5)
        },
        SequencingCell("gap/unsequenced", from: .gap, gives: "gap 5; applied 1; wrote u") {
            try $0.unsequenced()
        },
        SequencingCell("gap/heartbeat-equal", from: .gap, gives: "gap 5; applied 1") {
            try $0.heartbeat(5)
        },
        SequencingCell(
            "gap/heartbeat-ahead", "with an upstream", from: .gap, hasUpstream: true,
            gives: "reconciling 5; applied 1; ask from 6, attempt 1"
        ) {
            try $0.heartbeat(20)
        },
        SequencingCell("gap/heartbeat-ahead", "without one", from: .gap, gives: "gap 8; applied 3; wrote f7 f8") {
            try $0.heartbeat(20)
            try $0.event(7, prev: 5)
        },
        SequencingCell("gap/heartbeat-behind", from: .gap, gives: "stale 2; applied 1; held 1") {
            try $0.heartbeat(2)
        },
        SequencingCell("gap/first-epoch", from: .gap, gives: "gap 6; epoch a; applied 1; wrote f6") {
            try $0.event(6, epoch: "a")
        },
        SequencingCell("gap/other-epoch", from: .gapNamed, gives: "stale 1; epoch b; applied 1; held 1; wrote f1") {
            try $0.event(1, epoch: "b")
        },
        SequencingCell(
            "gap/other-epoch", "from a heartbeat", from: .gapNamed, gives: "stale 3; epoch b; applied 1; held 1"
        ) {
            try $0.heartbeat(3, epoch: "b")
        },
        SequencingCell("gap/reset", from: .gapNamed, gives: "stale -; epoch b; applied 1; held 1") {
            try $0.reset("b")
        },
        SequencingCell("gap/reset", "a duplicate", from: .gapNamed, gives: "gap 5; epoch a; duplicate 1") {
            try $0.reset("a", sequence: 5)
        },
        SequencingCell(
            "gap/window-expired", "with an upstream", from: .gap, hasUpstream: true,
            gives: "reconciling 5; ask from 6, attempt 1"
        ) {
            $0.windowExpires()
        },
        SequencingCell("gap/window-expired", "without one", from: .gap, gives: "stale 8; lost 6-7; applied 1; wrote f8")
        {
            $0.windowExpires()
        },
        SequencingCell(
            "gap/window-expired", "a younger gap waits on", from: .gap, gives: "gap 8; lost 6-7; applied 1; wrote f8"
        ) {
            $0.pass(milliseconds: 30)
            try $0.event(11)
            $0.windowExpires(after: 20)
        },
        SequencingCell(
            "gap/end-of-input", "with an upstream", from: .gap, hasUpstream: true,
            gives: "reconciling 5; ask from 6, attempt 1"
        ) {
            $0.inputEnds()
        },
        SequencingCell(
            "gap/end-of-input", "without one", from: .gap, gives: "stale 11; lost 6-7 9-10; applied 2; wrote f11 f8"
        ) {
            try $0.event(11)
            $0.inputEnds()
        },
        SequencingCell(
            "gap/held-full", "with an upstream", from: .gap, hasUpstream: true, heldEventCountMax: 1,
            gives: "reconciling 5; ask from 6, attempt 1"
        ) {
            try $0.event(10)
        },
        SequencingCell(
            "gap/held-full", "without one", from: .gap, heldEventCountMax: 1,
            gives: "gap 8; lost 6-7; applied 1; wrote f8"
        ) {
            try $0.event(10)
        },
        SequencingCell(
            "gap/held-full", "a hole that finds no room is lost with the gap", from: .gap, heldEventCountMax: 1,
            gives: "stale 8; lost 6-7; applied 1; quarantined 1; wrote f8"
        ) {
            try $0.hole(7)
        },
        SequencingCell("gap/progress", from: .gap, hasUpstream: true, gives: "gap 5") {
            try $0.answer([SequencingRig.event(6)])
        },
        SequencingCell("gap/empty", from: .gap, hasUpstream: true, gives: "gap 5") {
            try $0.answer([])
        },
        SequencingCell("gap/failed", from: .gap, hasUpstream: true, gives: "gap 5") {
            $0.fail()
        },
        SequencingCell("gap/final", from: .gap, hasUpstream: true, gives: "gap 5") {
            $0.fail(isFinal: true)
        },
        SequencingCell("gap/outdated", from: .gap, hasUpstream: true, gives: "gap 5") {
            try $0.answer([SequencingRig.event(6)], attempt: 0)
        },
    ]

    private static let reconciling: [SequencingCell] = [
        SequencingCell(
            "reconciling/in-order", "something is still missing", from: .reconciling,
            gives: "reconciling 6; applied 1; wrote f6"
        ) {
            try $0.event(6)
        },
        SequencingCell(
            "reconciling/in-order", "nothing is missing any more", from: .reconciling,
            gives: "live 8; applied 3; wrote f6 f7 f8"
        ) {
            try $0.event(6)
            try $0.event(7)
        },
        SequencingCell("reconciling/skipping", from: .reconciling, gives: "live 9; applied 1; duplicate 1; wrote f9") {
            try $0.event(9, prev: 5)
        },
        SequencingCell("reconciling/duplicate", from: .reconciling, gives: "reconciling 5; duplicate 2") {
            try $0.event(8)
            try $0.event(5)
        },
        SequencingCell("reconciling/ahead", from: .reconciling, gives: "reconciling 5") {
            try $0.event(10)
        },
        SequencingCell("reconciling/hole", from: .reconciling, gives: "reconciling 5; quarantined 1") {
            try $0.hole(9)
        },
        SequencingCell("reconciling/unsequenced", from: .reconciling, gives: "reconciling 5; applied 1; wrote u") {
            try $0.unsequenced()
        },
        SequencingCell("reconciling/heartbeat-equal", from: .reconciling, gives: "reconciling 5; applied 1") {
            try $0.heartbeat(5)
        },
        SequencingCell("reconciling/heartbeat-ahead", from: .reconciling, gives: "reconciling 5; applied 1") {
            try $0.heartbeat(20)
        },
        SequencingCell("reconciling/heartbeat-behind", from: .reconciling, gives: "stale 2; applied 1; held 1") {
            try $0.heartbeat(2)
            try $0.answer([SequencingRig.event(3)])
        },
        SequencingCell(
            "reconciling/first-epoch", from: .reconciling, gives: "reconciling 6; epoch a; applied 1; wrote f6"
        ) {
            try $0.event(6, epoch: "a")
        },
        SequencingCell(
            "reconciling/other-epoch", from: .reconcilingNamed, gives: "stale 1; epoch b; applied 1; held 1; wrote f1"
        ) {
            try $0.event(1, epoch: "b")
            try $0.answer([SequencingRig.event(2)])
        },
        SequencingCell("reconciling/reset", from: .reconcilingNamed, gives: "stale -; epoch b; applied 1; held 1") {
            try $0.reset("b")
            try $0.answer([SequencingRig.event(6)])
        },
        SequencingCell(
            "reconciling/reset", "a duplicate", from: .reconcilingNamed, gives: "reconciling 5; epoch a; duplicate 1"
        ) {
            try $0.reset("a", sequence: 5)
        },
        SequencingCell("reconciling/window-expired", from: .reconciling, gives: "reconciling 5") {
            $0.windowExpires()
        },
        SequencingCell("reconciling/end-of-input", from: .reconciling, gives: "reconciling 5") {
            $0.inputEnds()
        },
        SequencingCell("reconciling/held-full", from: .reconciling, heldEventCountMax: 1, gives: "reconciling 5") {
            try $0.event(10)
        },
        SequencingCell(
            "reconciling/progress", "something is still missing", from: .reconciling,
            gives: "reconciling 6; reconciled 1; wrote f6; ask from 7, attempt 2"
        ) {
            try $0.answer([SequencingRig.event(6)])
        },
        SequencingCell(
            "reconciling/progress", "nothing is missing any more", from: .reconciling,
            gives: "live 8; applied 1; reconciled 2; wrote f6 f7 f8"
        ) {
            try $0.answer([SequencingRig.event(6), SequencingRig.event(7), SequencingRig.event(8)])
        },
        SequencingCell(
            "reconciling/progress", "the upstream says there is nothing", from: .reconciling,
            gives: "live 8; applied 1; wrote f8"
        ) {
            try $0.answer([], coveredThrough: 7)
        },
        SequencingCell(
            "reconciling/progress", "attempts are counted anew", from: .reconciling,
            gives:
                "reconciling 6; reconciled 1; wrote f6; wait 125, attempt 1; ask from 6, attempt 2; ask from 7, attempt 3; wait 125, attempt 3"
        ) {
            $0.fail()
            $0.pauseEnds()
            try $0.answer([SequencingRig.event(6)], attempt: 2)
            $0.fail(attempt: 3)
        },
        SequencingCell(
            "reconciling/empty", from: .reconciling, gives: "reconciling 5; wait 125, attempt 1; ask from 6, attempt 2"
        ) {
            try $0.answer([])
            $0.pauseEnds()
        },
        SequencingCell(
            "reconciling/failed", from: .reconciling, gives: "reconciling 5; wait 125, attempt 1; ask from 6, attempt 2"
        ) {
            $0.fail()
            $0.pauseEnds()
        },
        SequencingCell("reconciling/final", from: .reconciling, gives: "stale 8; lost 6-7; applied 1; wrote f8") {
            $0.fail(isFinal: true)
        },
        SequencingCell(
            "reconciling/final", "up to the tail", from: .reconciling,
            gives: "stale 20; lost 6-7 9-20; applied 2; wrote f8"
        ) {
            try $0.heartbeat(20)
            $0.fail(isFinal: true)
        },
        SequencingCell(
            "reconciling/final", "after five attempts", from: .reconciling,
            gives:
                "stale 8; lost 6-7; applied 1; wrote f8; wait 125, attempt 1; ask from 6, attempt 2; wait 250, attempt 2; "
                + "ask from 6, attempt 3; wait 500, attempt 3; ask from 6, attempt 4; wait 1000, attempt 4; ask from 6, attempt 5"
        ) {
            for attempt in 1...4 as ClosedRange<UInt64> {
                $0.fail(attempt: attempt)
                $0.pauseEnds(attempt: attempt)
            }
            $0.fail(attempt: 5)
        },
        SequencingCell(
            "reconciling/final", "a younger gap was not asked for", from: .reconciling,
            gives: "gap 8; lost 6-7; applied 1; wrote f8"
        ) {
            $0.pass(milliseconds: 1)
            try $0.event(11)
            $0.fail(isFinal: true)
        },
        SequencingCell("reconciling/outdated", from: .reconciling, gives: "reconciling 5") {
            try $0.answer([SequencingRig.event(6)], attempt: 0)
            $0.fail(attempt: 0, isFinal: true)
            $0.pauseEnds()
        },
    ]

    private static let stale: [SequencingCell] = [
        SequencingCell("stale/in-order", from: .stale, gives: "stale 6; lost 4-4; applied 1; wrote f6") {
            try $0.event(6)
        },
        SequencingCell("stale/skipping", from: .stale, gives: "stale 9; lost 4-4; applied 1; wrote f9") {
            try $0.event(9, prev: 3)
        },
        SequencingCell("stale/duplicate", "the last again", from: .stale, gives: "stale 5; lost 4-4; duplicate 1") {
            try $0.event(5)
        },
        SequencingCell("stale/duplicate", "an older one", from: .stale, gives: "stale 5; lost 4-4; duplicate 1") {
            try $0.event(2)
        },
        SequencingCell("stale/ahead", from: .stale, gives: "gap 5; lost 4-4") {
            try $0.event(8)
        },
        SequencingCell("stale/hole", "at the cursor", from: .stale, gives: "stale 5; lost 4-4; quarantined 1") {
            try $0.hole(5)
        },
        SequencingCell(
            "stale/hole", "of another epoch", from: .staleNamed, gives: "stale 5; epoch a; lost 4-4; quarantined 1"
        ) {
            try $0.hole(6, epoch: "b")
        },
        SequencingCell("stale/hole", "next", from: .stale, gives: "gap 5; lost 4-4; quarantined 1") {
            try $0.hole(6)
        },
        SequencingCell("stale/hole", "ahead", from: .stale, gives: "gap 5; lost 4-4; quarantined 1") {
            try $0.hole(9)
        },
        SequencingCell("stale/unsequenced", from: .stale, gives: "stale 5; lost 4-4; applied 1; wrote u") {
            try $0.unsequenced(epoch: "z")
        },
        SequencingCell("stale/heartbeat-equal", from: .stale, gives: "stale 5; lost 4-4; applied 1") {
            try $0.heartbeat(5)
        },
        SequencingCell(
            "stale/heartbeat-ahead", "with an upstream", from: .staleAgain, hasUpstream: true,
            gives: "reconciling 5; applied 1; ask from 6, attempt 2"
        ) {
            try $0.heartbeat(9)
        },
        SequencingCell("stale/heartbeat-ahead", "without one", from: .stale, gives: "gap 5; lost 4-4; applied 1") {
            try $0.heartbeat(9)
        },
        SequencingCell("stale/heartbeat-behind", from: .stale, gives: "stale 3; applied 1") {
            try $0.heartbeat(3)
        },
        SequencingCell(
            "stale/first-epoch", "in order", from: .stale, gives: "stale 6; epoch a; lost 4-4; applied 1; wrote f6"
        ) {
            try $0.event(6, epoch: "a")
        },
        SequencingCell(
            "stale/first-epoch", "a duplicate", from: .stale, gives: "stale 5; epoch a; lost 4-4; duplicate 1"
        ) {
            try $0.event(5, epoch: "a")
        },
        SequencingCell("stale/first-epoch", "ahead", from: .stale, gives: "gap 5; epoch a; lost 4-4") {
            try $0.event(8, epoch: "a")
        },
        SequencingCell(
            "stale/first-epoch", "from a heartbeat", from: .stale, gives: "stale 5; epoch a; lost 4-4; applied 1"
        ) {
            try $0.heartbeat(5, epoch: "a")
        },
        SequencingCell("stale/other-epoch", from: .staleNamed, gives: "stale 2; epoch b; applied 1; wrote f2") {
            try $0.event(2, epoch: "b")
        },
        SequencingCell("stale/other-epoch", "from a heartbeat", from: .staleNamed, gives: "stale 9; epoch b; applied 1")
        {
            try $0.heartbeat(9, epoch: "b")
        },
        SequencingCell(
            "stale/reset", "a duplicate", from: .staleNamed, gives: "stale 5; epoch a; lost 4-4; duplicate 1"
        ) {
            try $0.reset("a", sequence: 5)
        },
        SequencingCell("stale/reset", "without a sequence", from: .staleNamed, gives: "stale -; epoch b; applied 1") {
            try $0.reset("b")
        },
        SequencingCell("stale/reset", "with its own sequence", from: .staleNamed, gives: "stale 1; epoch b; applied 1")
        {
            try $0.reset("b", sequence: 1)
        },
        SequencingCell("stale/reset", "said by the old log", from: .staleNamed, gives: "stale -; epoch b; applied 1") {
            try $0.reset("b", sequence: 6, envelopeEpoch: "a")
        },
        SequencingCell("stale/reset", "to the same log", from: .staleNamed, gives: "stale -; epoch a; applied 1") {
            try $0.reset("a")
        },
        SequencingCell("stale/window-expired", from: .stale, gives: "stale 5; lost 4-4") {
            $0.windowExpires()
        },
        SequencingCell("stale/end-of-input", from: .stale, gives: "stale 5; lost 4-4") {
            $0.inputEnds()
        },
        SequencingCell(
            "stale/held-full", "without an upstream", from: .stale, heldByteCountMax: 1,
            gives: "stale 8; lost 4-4 6-7; applied 1; wrote f8"
        ) {
            try $0.event(8)
        },
        SequencingCell(
            "stale/held-full", "with an upstream", from: .staleAgain, hasUpstream: true, heldByteCountMax: 1,
            gives: "reconciling 5; ask from 6, attempt 2"
        ) {
            try $0.event(8)
        },
        SequencingCell("stale/progress", from: .staleAgain, hasUpstream: true, gives: "stale 5") {
            try $0.answer([SequencingRig.event(6)])
        },
        SequencingCell("stale/empty", from: .staleAgain, hasUpstream: true, gives: "stale 5") {
            try $0.answer([])
        },
        SequencingCell("stale/failed", from: .staleAgain, hasUpstream: true, gives: "stale 5") {
            $0.fail()
        },
        SequencingCell("stale/final", from: .staleAgain, hasUpstream: true, gives: "stale 5") {
            $0.fail(isFinal: true)
        },
        SequencingCell("stale/outdated", from: .staleAgain, hasUpstream: true, gives: "stale 5") {
            try $0.answer([SequencingRig.event(6)], attempt: 0)
        },
    ]
}

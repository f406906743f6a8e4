// Cases of SequencingTableTests, in the order of Protocol/sequencing.md.

extension SequencingCell {
    static let live: [SequencingCell] = [
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
        SequencingCell("live/hole", "next", from: .live, gives: "live 5; quarantined 1") {
            try $0.hole(6)
            $0.windowExpires()
        },
        SequencingCell("live/hole", "far ahead", from: .live, gives: "live 6; applied 1; quarantined 1; wrote f6") {
            try $0.hole(.max)
            $0.inputEnds()
            try $0.event(6)
        },
        SequencingCell("live/hole", "a good event above proves it", from: .live, gives: "gap 5; quarantined 1") {
            try $0.hole(6)
            try $0.event(7)
        },
        SequencingCell(
            "live/hole", "without an epoch", from: .liveNamed, hasUpstream: true,
            gives: "live 5; epoch a; quarantined 1"
        ) {
            try $0.hole(6)
            $0.windowExpires()
        },
        SequencingCell(
            "live/hole", "of the first epoch", from: .live, hasUpstream: true,
            gives: "live 7; epoch b; applied 2; quarantined 2; wrote f6 f7; ask from 8, attempt 1"
        ) {
            try $0.hole(9)
            try $0.hole(10, epoch: "b")
            try $0.event(6, epoch: "b")
            try $0.event(7)
            $0.windowExpires()
        },
        SequencingCell(
            "live/hole", "asked for once", from: .live, hasUpstream: true,
            gives: "live 5; quarantined 1; ask from 6, attempt 1"
        ) {
            try $0.hole(6)
            $0.windowExpires()
            try $0.answer([])
            $0.windowExpires()
            $0.inputEnds()
        },
        SequencingCell(
            "live/hole", "asked for once, and the upstream fails", from: .live, hasUpstream: true,
            gives: "live 5; quarantined 1; ask from 6, attempt 1"
        ) {
            try $0.hole(6)
            $0.windowExpires()
            $0.fail()
            $0.windowExpires()
        },
        SequencingCell(
            "live/hole", "filled by the upstream", from: .live, hasUpstream: true,
            gives: "live 6; quarantined 1; reconciled 1; wrote f6; ask from 6, attempt 1"
        ) {
            try $0.hole(6)
            $0.windowExpires()
            try $0.answer([SequencingFixture.event(6)])
        },
        SequencingCell(
            "live/hole", "unusable in the answer, too", from: .live, hasUpstream: true,
            gives: "stale 6; lost 6-6; quarantined 1; ask from 6, attempt 1"
        ) {
            try $0.hole(6)
            $0.windowExpires()
            try $0.answer([SequencingFixture.unusable(6)])
        },
        SequencingCell(
            "live/hole", "a line of the answer above it proves it", from: .live, hasUpstream: true,
            gives: "reconciling 5; quarantined 1; ask from 6, attempt 1; wait 125, attempt 1"
        ) {
            try $0.hole(6)
            $0.windowExpires()
            try $0.answer([SequencingFixture.unusable(7)])
        },
        SequencingCell("live/late", from: .liveLossy, gives: "live 5; applied 1; wrote f4") {
            try $0.event(4)
        },
        SequencingCell("live/late", "twice", from: .liveLossy, gives: "live 5; applied 1; duplicate 1; wrote f4") {
            try $0.event(4)
            try $0.event(4)
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
            try $0.answer([SequencingFixture.event(6)])
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
            try $0.answer([SequencingFixture.event(6)], attempt: 0)
        },
    ]
}

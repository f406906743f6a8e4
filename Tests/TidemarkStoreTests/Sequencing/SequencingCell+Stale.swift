// Cases of SequencingTableTests, in the order of Protocol/sequencing.md.

extension SequencingCell {
    static let stale: [SequencingCell] = [
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
        SequencingCell("stale/hole", "next", from: .stale, gives: "stale 5; lost 4-4; quarantined 1") {
            try $0.hole(6)
        },
        SequencingCell("stale/hole", "of a lost number", from: .stale, gives: "stale 5; lost 4-4; quarantined 1") {
            try $0.hole(4)
        },
        SequencingCell("stale/late", "the last lost number", from: .stale, gives: "live 5; applied 1; wrote f4") {
            try $0.event(4)
        },
        SequencingCell("stale/late", "a heartbeat says nothing", from: .stale, gives: "live 5; applied 1") {
            try $0.heartbeat(2, sequence: 4)
        },
        SequencingCell(
            "stale/late", "the log began anew", from: .staleAgain,
            gives: "stale 8; lost 6-6; applied 2; wrote f7 f8"
        ) {
            try $0.event(8)
            $0.inputEnds()
            try $0.event(7)
        },
        SequencingCell(
            "stale/late", "of another epoch", from: .staleNamed, gives: "stale 4; epoch b; applied 1; wrote f4"
        ) {
            try $0.event(4, epoch: "b")
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
            try $0.answer([SequencingFixture.event(6)])
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
            try $0.answer([SequencingFixture.event(6)], attempt: 0)
        },
    ]
}

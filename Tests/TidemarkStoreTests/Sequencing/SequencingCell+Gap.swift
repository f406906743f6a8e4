// Cases of SequencingTableTests, in the order of Protocol/sequencing.md.

extension SequencingCell {
    static let gap: [SequencingCell] = [
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
            "gap/hole", "behind what is held", from: .gap, gives: "live 8; applied 2; quarantined 1; wrote f7 f8"
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
        SequencingCell("gap/late", from: .gapLossy, gives: "gap 5; applied 1; wrote f4") {
            try $0.event(4)
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
            "gap/held-full", "a hole takes no room", from: .gap, heldEventCountMax: 1, gives: "gap 5; quarantined 1"
        ) {
            try $0.hole(7)
        },
        SequencingCell("gap/progress", from: .gap, hasUpstream: true, gives: "gap 5") {
            try $0.answer([SequencingFixture.event(6)])
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
            try $0.answer([SequencingFixture.event(6)], attempt: 0)
        },
    ]
}

// Cases of SequencingTableTests, in the order of Protocol/sequencing.md.

extension SequencingCell {
    static let reconciling: [SequencingCell] = [
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
        SequencingCell("reconciling/late", from: .reconcilingLossy, gives: "reconciling 5; applied 1; wrote f4") {
            try $0.event(4)
        },
        SequencingCell(
            "reconciling/late", "in the answer", from: .reconcilingLossy,
            gives: "reconciling 5; reconciled 1; wrote f4; wait 125, attempt 2"
        ) {
            try $0.answer([SequencingFixture.event(4)], attempt: 2)
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
            try $0.answer([SequencingFixture.event(3)])
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
            try $0.answer([SequencingFixture.event(2)])
        },
        SequencingCell("reconciling/reset", from: .reconcilingNamed, gives: "stale -; epoch b; applied 1; held 1") {
            try $0.reset("b")
            try $0.answer([SequencingFixture.event(6)])
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
            try $0.answer([SequencingFixture.event(6)])
        },
        SequencingCell(
            "reconciling/progress", "nothing is missing any more", from: .reconciling,
            gives: "live 8; applied 1; reconciled 2; wrote f6 f7 f8"
        ) {
            try $0.answer([SequencingFixture.event(6), SequencingFixture.event(7), SequencingFixture.event(8)])
        },
        SequencingCell(
            "reconciling/progress", "the upstream says there is nothing", from: .reconciling,
            gives: "live 8; applied 1; wrote f8"
        ) {
            try $0.answer([], coveredThrough: 7)
        },
        SequencingCell(
            "reconciling/progress", "what came to be missing after the question is not covered", from: .reconciling,
            gives: "reconciling 8; applied 1; reconciled 2; wrote f6 f7 f8; ask from 9, attempt 2"
        ) {
            try $0.event(10)
            try $0.answer([SequencingFixture.event(6), SequencingFixture.event(7)], coveredThrough: .max)
        },
        SequencingCell(
            "reconciling/progress", "attempts are counted anew", from: .reconciling,
            gives:
                "reconciling 6; reconciled 1; wrote f6; wait 125, attempt 1; ask from 6, attempt 2; ask from 7, attempt 3; wait 125, attempt 3"
        ) {
            $0.fail()
            $0.pauseEnds()
            try $0.answer([SequencingFixture.event(6)], attempt: 2)
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
            try $0.answer([SequencingFixture.event(6)], attempt: 0)
            $0.fail(attempt: 0, isFinal: true)
            $0.pauseEnds()
        },
    ]
}

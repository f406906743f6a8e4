// Cases of SequencingTableTests, in the order of Protocol/sequencing.md.

extension SequencingCell {
    static let cold: [SequencingCell] = [
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
        SequencingCell("cold/hole", from: .cold, gives: "cold -; quarantined 1") {
            try $0.hole(6)
        },
        SequencingCell("cold/hole", "with prev", from: .cold, gives: "cold -; quarantined 1") {
            try $0.hole(6, prev: 2)
        },
        SequencingCell("cold/hole", "before the first", from: .cold, gives: "cold -; quarantined 1") {
            try $0.hole(0)
        },
        SequencingCell(
            "cold/hole", "with an upstream, and a good event below it", from: .cold, hasUpstream: true,
            gives: "live 4; applied 1; quarantined 1; wrote f4"
        ) {
            try $0.hole(6)
            try $0.event(4)
        },
        SequencingCell("cold/late", from: .anew, gives: "stale 3; epoch b; applied 1; wrote f3") {
            try $0.event(3)
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
            try $0.answer([SequencingFixture.event(6)])
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
            try $0.answer([SequencingFixture.event(6)], attempt: 0)
        },
    ]
}

import TestTraits
import Testing
import TidemarkSimulation

/// The naive evaluation of the simulated worlds' views, by hand.
@Suite(.pooled) struct SimulatedViewTests {
    private static let entities: [String: ItemFields] = [
        "a": ItemFields(["n": "1", "t": #""x""#, "v": "10"]),
        "b": ItemFields(["n": "1.0", "t": #""y""#, "v": "11"]),
        "c": ItemFields(["n": "2", "t": #""x""#, "v": "12"]),
        "d": ItemFields(["n": "0", "t": #""x""#, "v": "13"]),
        "e": ItemFields(["n": "null", "v": "14"]),
        "f": ItemFields(["n": "3", "t": #""x""#]),
    ]

    private static let wanted: [(SimulatedView, rows: [String], total: Int)] = [
        (
            .window,
            [#"{"n":1.0,"t":"y","v":11}"#, #"{"n":1,"t":"x","v":10}"#, #"{"n":2,"t":"x","v":12}"#], 4
        ),
        (.pairs, [#"{"a":12,"b":10}"#], 1),
        (.tree, [#"{"t":"x","near":[{"v":12},{}]}"#], 1),
        (
            .groups,
            [
                #"{"all":1,"known":0,"last":14}"#, #"{"t":"x","all":4,"known":4,"last":13}"#,
                #"{"t":"y","all":1,"known":1,"last":11}"#,
            ], 3
        ),
    ]

    @Test func `a view of every kind has the rows that one counts by hand`() throws {
        let entities = try SimulatedEntities(Self.entities)
        #expect(Self.wanted.map(\.0) == SimulatedView.allCases)
        for (view, rows, total) in Self.wanted {
            let result = try view.result(of: entities)
            #expect(result.rows == rows && result.total == total, "\(view): \(result)")
        }
    }
}

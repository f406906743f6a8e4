import TestTraits
import Testing

@testable import TidemarkTestKit

@Suite(.pooled) struct TestScaleTests {
    @Test func `settings are read by name, and a name without a number counts as one`() {
        #expect(TestScale.read("") == [:])
        #expect(TestScale.read("seeds=10,kills=500,load") == [.seeds: 10, .kills: 500, .load: 1])
        #expect(TestScale.read("points=0") == [.points: 0])
    }

    @Test(arguments: ["seed=x", "kill=3", "kills=-1", "=3"]) func `a misspelt setting ends the run`(text: String) async
    {
        await #expect(processExitsWith: .failure) { [text] in _ = TestScale.read(text) }
    }
}

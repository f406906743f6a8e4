import Testing
import TidemarkStore

@testable import Tidemark

@Suite struct ReconcileTasksTests {
    @Test func `the end of an attempt leaves the task of the attempt that replaced it`() {
        var tasks = ReconcileTasks()
        #expect(tasks.isEmpty && tasks.first == nil && tasks.all.isEmpty)
        let library = LibraryIndex(rawValue: 3)
        let old = Task {}
        let new = Task {}
        tasks.began(1, of: library, old)
        tasks.cancel(library)
        tasks.began(2, of: library, new)
        #expect(old.isCancelled && !new.isCancelled)
        tasks.ended(1, of: library)
        #expect(tasks.task(of: library) == new && tasks.first == new && tasks.all == [new])
        tasks.ended(2, of: LibraryIndex(rawValue: 4))
        #expect(tasks.task(of: library) == new)
        tasks.ended(2, of: library)
        #expect(tasks.isEmpty && tasks.task(of: library) == nil)
    }

    @Test func `a cache that closes cancels the tasks of all libraries`() {
        var tasks = ReconcileTasks()
        let started = (0..<3).map { _ in Task {} }
        for (index, task) in started.enumerated() { tasks.began(1, of: LibraryIndex(rawValue: UInt16(index)), task) }
        tasks.cancelAll()
        #expect(started.allSatisfy(\.isCancelled) && tasks.all.count == 3)
    }
}

// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkMessages
import TidemarkModel

/// The example in Sources/TidemarkMessages/Families/MethodFamily.swift.
func exampleTidemarkMessages1(cache: SyncCache) async throws {
    struct NothingMethods: MethodFamily {
        var methods: [SessionMethod] {
            [SessionMethod("nothing.do", params: [], perform: NothingMethods.perform)]
        }

        private static func perform(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
            .answered(Answer.empty)
        }
    }
}

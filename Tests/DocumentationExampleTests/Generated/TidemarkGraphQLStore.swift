// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkGraphQLStore
import TidemarkModel

/// The example in Sources/TidemarkGraphQLStore/Delivery/DeliveryFormat.swift.
func exampleTidemarkGraphQLStore1(cache: SyncCache) async throws {
    struct OneItemParser: DeliveryParser {
        mutating func read(_ payload: JSONValue) throws(DeliveryFault) -> DeliveryStep {
            var step = DeliveryStep()
            step.data = payload["data"]
            step.hasNext = payload["more"]?.bool ?? false
            return step
        }
    }
    let format = DeliveryFormat(parameter: "deliverySpec", value: "1.0") { OneItemParser() }
    print(format.parameter, format.value)
}

/// The example in Sources/TidemarkGraphQLStore/Engine/GraphReconnecting.swift.
func exampleTidemarkGraphQLStore2(cache: SyncCache) async throws {
    var reconnecting = GraphReconnecting()
    reconnecting.attemptCountMax = 20
    reconnecting.pauseMax = 10_000
    print(reconnecting.pauseMin)  // 1000
}

/// The example in Sources/TidemarkGraphQLStore/Engine/GraphSending.swift.
func exampleTidemarkGraphQLStore3(cache: SyncCache) async throws {
    var sending = GraphSending()
    sending.key = "song 1"
    sending.temporaryIDs = ["/id"]
    sending.duration = .seconds(86_400)
    sending.discardsOnFailure = true
}

import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel

extension Answer {
    /// Returns the `result` of `optimistic.list`.
    static func pending(_ layers: [PendingLayer]) -> [UInt8] {
        object { line in
            line.name("pending")
            line.array { line in
                for layer in layers { line.value(layer) }
            }
        }
    }
}

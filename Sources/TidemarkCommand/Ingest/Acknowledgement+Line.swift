import Tidemark
import TidemarkModel
import TidemarkJSON

extension Acknowledgement {
    /// The acknowledgement as a line: `{"ack":{"lines":n,"libraries":{"<id>":sequence}}}`, sorted by library.
    ///
    /// - Source: Protocol/schema/ack.schema.json.
    var line: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.name("ack")
            line.object { line in
                line.member("lines", lines)
                line.name("libraries")
                line.object { line in
                    for library in libraries.sorted(by: { $0.key < $1.key }) {
                        line.member(library.key, library.value)
                    }
                }
            }
        }
        return line.bytes
    }
}

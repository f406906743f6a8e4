import TidemarkModel
import TidemarkJSON

/// Returns a name as a JSON string, with its quotes.
func quoted(_ name: ByteString) -> [UInt8] {
    var line = JSONLine()
    line.value(name)
    return line.bytes
}

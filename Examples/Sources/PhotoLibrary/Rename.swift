import Foundation
import TidemarkModel

/// The input of a request to rename a photo.
struct Rename: Codable {
    var id: String
    var name: String
    /// The name that the user saw. The server refuses the request if it has another one.
    var from: String

    init(id: String, name: String, from: String) {
        self.id = id
        self.name = name
        self.from = from
    }

    /// Reads an input; nil when it is another one.
    init?(json: [UInt8]) {
        guard let rename = try? JSONDecoder().decode(Rename.self, from: Data(json)) else { return nil }
        self = rename
    }
}

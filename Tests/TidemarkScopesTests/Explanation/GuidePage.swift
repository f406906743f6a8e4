import Foundation
import TidemarkModel
import TidemarkViews

/// The guide to scopes, `docs/scopes.md`, as its examples.
struct GuidePage {
    /// A mistake with its two files and what they show.
    struct Mistake {
        let title: String
        let files: [String]
        let rows: [Row]
    }

    /// A row of a mistake's table.
    struct Row {
        let claims: String
        let address: [(name: ByteString, value: ByteString)]
        let entity: EntityKey
        let wrong: String
        let right: String
    }

    let entities: GuideEntities
    let mistakes: [Mistake]
    /// The blocks of JSON outside of mistakes.
    let otherBlocks: [String]

    init() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/scopes.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        entities = try GuideEntities(lines: GuidePage.blocks("ndjson", of: text).joined())
        var mistakes: [Mistake] = []
        var other: [String] = []
        for section in GuidePage.sections(of: text) {
            let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap { GuidePage.row($0) }
            let blocks = GuidePage.blocks("json", of: section)
            let title = String(section.drop { "# ".contains($0) }.prefix { $0 != "\n" })
            guard title.first?.isNumber == true else {
                other += blocks
                continue
            }
            mistakes.append(Mistake(title: title, files: blocks, rows: rows))
        }
        self.mistakes = mistakes
        otherBlocks = other
    }

    /// The parts of the page between headings.
    private static func sections(of text: String) -> [String] {
        var sections = [""]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#") { sections.append("") }
            sections[sections.count - 1] += line + "\n"
        }
        return sections
    }

    private static func blocks(_ language: String, of text: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first.map { $0 + "\n" }
        }
    }

    private static func row(_ line: Substring) -> Row? {
        let cells = line.split(separator: "|").map { cell in
            cell.trimmingCharacters(in: .whitespaces).replacing("`", with: "")
        }
        guard cells.count == 5, let entity = EntityKey(text: ByteString(cells[2]), library: "") else { return nil }
        let address = cells[1].split(separator: "&").compactMap { pair -> (name: ByteString, value: ByteString)? in
            let parts = pair.split(separator: "=").map { String($0) }
            return parts.count == 2 ? (ByteString(parts[0]), ByteString(parts[1])) : nil
        }
        return Row(claims: cells[0], address: address, entity: entity, wrong: cells[3], right: cells[4])
    }
}

/// The entities of the guide.
struct GuideEntities: ListableEntities {
    private var resources: [ViewKey: [UInt8]] = [:]

    /// Reads event lines.
    init(lines: String) throws {
        let form = /\{"ResourceChanged":\{"resource_type":"(\w+)","resource":(\{"id":"(\w+)".*\})\}\}/
        for line in lines.split(separator: "\n") {
            guard let match = line.wholeMatch(of: form) else { throw CocoaError(.coderReadCorrupt) }
            resources[ViewKey(type: ByteString(String(match.1)), id: ByteString(String(match.3)))] = Array(match.2.utf8)
        }
    }

    var count: Int { resources.count }

    func state(of key: ViewKey) -> ViewEntityState {
        resources[key].map { .present($0) } ?? .unknown
    }

    func ids(of type: ByteString, after id: ByteString?, countMax: Int) -> [ByteString] {
        let ids = resources.keys.filter { $0.type == type }.map(\.id).sorted()
        return Array(ids.filter { found in id.map { $0 < found } ?? true }.prefix(countMax))
    }
}

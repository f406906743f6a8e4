import TidemarkJSON
import TidemarkModel

/// Parses the JSON of a membership rule.
package struct MembershipParser {
    /// The deepest nesting of `all`, `any` and `not`; a single test has depth 1.
    package static let depthMax = 32
    /// The most operators, `all`, `any` and `not` of one rule, together.
    package static let predicateCountMax = 1_000
    /// The most components of `order`.
    package static let orderComponentCountMax = 16
    /// The most elements of all `in` of one rule, together.
    package static let alternativeCountMax = 10_000

    let bytes: UnsafeRawBufferPointer
    var predicateCount = 0
    var alternativeCount = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Parses the rule.
    ///
    /// - Throws: ``MembershipError`` for the first thing that is wrong.
    mutating func rule() throws(MembershipError) -> Membership {
        let rule = try object(0..<bytes.count, at: "")
        let resourceType = try resourceType(rule)
        var predicate = Predicate.all([])
        if let value = present("where", of: rule) { predicate = try self.predicate(value, at: "/where", depth: 1) }
        return Membership(
            resourceType: resourceType, limit: try limit(rule), predicate: predicate, scope: try scope(rule),
            order: try order(rule))
    }

    private func resourceType(_ rule: JSONObject) throws(MembershipError) -> ByteString {
        let place = "/resource_type"
        guard let value = present("resource_type", of: rule) else {
            throw wrong(place, "is missing; name the type whose resources the list holds")
        }
        let name = try string(value, at: place)
        let isName = name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isName, 1...MembershipParser.typeByteCountMax ~= name.count else {
            throw wrong(place, "is not a type; write 1 to \(MembershipParser.typeByteCountMax) of A-Z a-z 0-9 _ . -")
        }
        return ByteString(name)
    }

    private func limit(_ rule: JSONObject) throws(MembershipError) -> Int? {
        guard let value = present("limit", of: rule) else { return nil }
        guard let limit = Int(String(decoding: bytes[value], as: UTF8.self)), limit >= 1 else {
            throw wrong("/limit", "is not an integer of 1 or more; leave it out for no limit")
        }
        return limit
    }

    private func scope(_ rule: JSONObject) throws(MembershipError) -> MembershipScope? {
        guard let value = present("scope", of: rule) else { return nil }
        let scope = try object(value, at: "/scope")
        guard let path = present("path", of: scope) else {
            throw wrong("/scope/path", "is missing; write the directory, a string or a tagged path")
        }
        guard let directory = ScopePath(path, of: bytes) else {
            throw wrong(
                "/scope/path",
                "is not a path; write a string, {\"Physical\":{\"device_slug\":…,\"path\":…}} or "
                    + "{\"Cloud\":{\"service\":…,\"identifier\":…,\"path\":…}}")
        }
        var isRecursive = false
        if let value = present("recursive", of: scope) { isRecursive = try boolean(value, at: "/scope/recursive") }
        var pointer = MembershipScope.defaultPointer
        if let value = present("pointer", of: scope) { pointer = try self.pointer(value, at: "/scope/pointer") }
        return MembershipScope(directory: directory, isRecursive: isRecursive, pointer: pointer)
    }

    private func order(_ rule: JSONObject) throws(MembershipError) -> [MembershipOrder] {
        guard let value = present("order", of: rule) else { return [] }
        let components = try elements(value, at: "/order")
        guard components.count <= MembershipParser.orderComponentCountMax else {
            throw wrong(
                "/order", "has \(components.count) components; write at most \(MembershipParser.orderComponentCountMax)"
            )
        }
        var order: [MembershipOrder] = []
        for (index, component) in components.enumerated() {
            let place = "/order/\(index)"
            let members = try object(component, at: place)
            guard let path = present("path", of: members) else {
                throw wrong(place + "/path", "is missing; write a JSON Pointer such as \"/name\"")
            }
            order.append(
                MembershipOrder(
                    pointer: try pointer(path, at: place + "/path"),
                    isDescending: try isDescending(members, at: place + "/direction")))
        }
        return order
    }

    private func isDescending(_ component: JSONObject, at place: String) throws(MembershipError) -> Bool {
        guard let value = present("direction", of: component) else { return false }
        switch String(decoding: try string(value, at: place), as: UTF8.self) {
        case "asc", "ascending": return false
        case "desc", "descending": return true
        default: throw wrong(place, "is not a direction; write \"asc\" or \"desc\"")
        }
    }
}

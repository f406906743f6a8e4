import TidemarkJSON
import TidemarkModel
import TidemarkViews

/// Compares the stored result of a defined view with a fresh evaluation, without a cache.
///
/// The counts of missing entities, `pending` and `stale` are not compared: they depend on what only the cache that
/// wrote them knew.
package enum StoredResultCheck {
    /// The kind of the records of stored results.
    package static var kind: ByteString { StoredResult.kind }

    /// The number of stored rows; nil if the record cannot be read.
    package static func rowCount(_ body: [UInt8]) -> Int? { result(body)?.rows.count }

    /// Compares a record with what its rule gives now.
    ///
    /// - Parameters:
    ///   - entities: The visible entities of the view's library.
    ///   - types: The cache's own names of types, by their other names.
    /// - Returns: What is wrong in a few words; nil if nothing is.
    package static func problem(
        _ body: [UInt8], of rule: ViewRule, _ entities: any ListableEntities, types: [ByteString: ByteString] = [:]
    ) -> String? {
        guard let stored = result(body) else { return "its stored rows cannot be read" }
        let binding: ViewBinding
        do throws(ViewRuleError) {
            binding = try ViewBinding(nil, for: rule)
        } catch {
            return "rows are stored of a view with parameters"
        }
        var views = ViewSet(types: types)
        guard let use = views.hold(rule, binding) else { preconditionFailure("a new set has room for one use") }
        while !views.fill(use, entities, countMax: countPerStep) {}
        guard let window = views.open(use, offset: 0, limit: StoredResult.limit(of: rule), entities),
            let fresh = views.result(window)
        else { preconditionFailure("a new set has room for one window") }
        return difference(stored, fresh)
    }

    /// How many entities a step of filling reads.
    private static let countPerStep = 100_000

    private static func difference(_ stored: StoredResult, _ fresh: ViewResult) -> String? {
        guard stored.total == fresh.total else {
            return "the stored result has \(stored.total) rows in all, and its entities give \(fresh.total)"
        }
        guard stored.rows.count == fresh.rows.count, stored.isCut == (fresh.total > fresh.rows.count) else {
            return "\(stored.rows.count) rows are stored, and its entities give \(fresh.rows.count)"
        }
        for (index, pair) in zip(stored.rows, fresh.rows).enumerated() where pair.0 != pair.1 {
            // Rows of equal values may be spelled in the way of an earlier event.
            guard canonical(pair.0) != canonical(pair.1) else { continue }
            return "the stored row \(index) is \(excerpt(pair.0)), and its entities give \(excerpt(pair.1))"
        }
        for (index, pair) in zip(stored.keys, fresh.keys.map(\.text)).enumerated() where pair.0 != pair.1 {
            guard canonical(pair.0) != canonical(pair.1) else { continue }
            return "the stored row \(index) has the key \(excerpt(pair.0)), and its entities give \(excerpt(pair.1))"
        }
        return nil
    }

    /// Reads a record, whose checksum does not say that it is one.
    private static func result(_ body: [UInt8]) -> StoredResult? {
        do throws(JSONSyntaxError) {
            _ = try JSONValue(parsing: body)
            return StoredResult(body: body)
        } catch {
            return nil
        }
    }

    /// One spelling of all equal values; the bytes themselves if they are no JSON.
    private static func canonical(_ json: [UInt8]) -> [UInt8] {
        do throws(JSONSyntaxError) {
            return Array(try JSONValue(parsing: json).canonical.text.utf8)
        } catch {
            return json
        }
    }

    private static func excerpt(_ json: [UInt8]) -> String {
        json.count <= 80
            ? String(decoding: json, as: UTF8.self) : String(decoding: json.prefix(80), as: UTF8.self) + "…"
    }
}

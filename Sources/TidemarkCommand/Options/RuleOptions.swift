import ArgumentParser
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkJSON

/// One component of an order: a JSON Pointer, optionally followed by `:asc` or `:desc`. A pointer that contains a colon
/// needs one of them.
struct OrderComponent: ExpressibleByArgument {
    let path: ByteString
    let isDescending: Bool
    /// The whole text if what follows a colon is not a direction; nil otherwise.
    let wrong: String?

    init?(argument: String) {
        var text = Substring(argument)
        isDescending = text.hasSuffix(":desc")
        let direction = [":desc", ":asc"].first { text.hasSuffix($0) }
        text = text.dropLast(direction?.count ?? 0)
        path = ByteString(String(text))
        wrong = direction == nil && text.contains(":") ? argument : nil
    }

    /// Refuses an unknown direction.
    ///
    /// - Throws: `ValidationError`.
    func validate() throws {
        guard let wrong else { return }
        throw ValidationError("--order \(wrong) ends without a direction: write :asc or :desc after the pointer")
    }
}

/// Creates membership rules from command-line options.
enum RuleText {
    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - type: The resource type.
    ///   - predicate: The JSON of `--where`; nil matches all entities.
    ///   - order: The components of `--order`; may be empty.
    /// - Throws: ``Failure`` with ``ExitStatus/usage`` for invalid JSON, or an invalid rule.
    static func rule(
        type: String, where predicate: String?, order: [OrderComponent]
    ) throws(Failure) -> Membership {
        var line = JSONLine()
        let compact = try predicate.map { (text) throws(Failure) in try json(text) }
        line.object { line in
            line.member("resource_type", ByteString(type))
            if let compact { line.member("where", json: compact) }
            line.name("order")
            line.array { line in
                for component in order {
                    line.object { line in
                        line.member("path", component.path)
                        line.member("direction", component.isDescending ? "desc" : "asc")
                    }
                }
            }
        }
        do throws(MembershipError) {
            return try Membership(json: line.bytes)
        } catch {
            throw Failure.usage(
                error.optionMessage, advice: "see Protocol/queries.md for where and order, and --help for an example")
        }
    }

    private static func json(_ text: String) throws(Failure) -> [UInt8] {
        do throws(JSONSyntaxError) {
            _ = try JSONValue(parsing: Array(text.utf8))
        } catch {
            throw Failure.usage(
                "--where is not JSON: \(error)", advice: "write one object, such as '{\"path\":\"/size\",\"gt\":1000}'")
        }
        return Array(JSONSlice(validated: Array(text.utf8)[...]).bytes)
    }
}

extension JSONLine {
    /// Writes how the entities were found.
    ///
    /// - Source: Protocol/indexes.md.
    mutating func member(plan: ReadPlan) {
        name("plan")
        object { line in
            line.member("method", ByteString(plan.method.rawValue))
            line.member("index", plan.index.map { ByteString($0.description) })
            line.member("read", plan.readCount)
        }
    }
}

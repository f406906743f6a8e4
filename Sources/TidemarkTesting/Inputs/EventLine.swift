import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Writes the lines of events as a server does.
///
/// ```swift
/// let line = EventLine.change(#"{"id":"1","name":"Sea"}"#, type: "photo", sequence: 7)
/// try await cache.ingest(Array(line.utf8))
/// ```
///
/// Each function returns one line without its LF. Names are escaped as JSON requires. Resources are inserted unchanged,
/// so that a test can also write broken ones. An event without library, sequence, epoch and mutation has no envelope.
///
/// - Source: Protocol/events.md.
public enum EventLine {
    /// Returns the line of a new or changed resource.
    ///
    /// - Parameters:
    ///   - resource: A JSON object.
    ///   - type: The resource type.
    ///   - metadata: A JSON value with which the resource is merged into the entity; nil to replace the entity.
    ///   - library: The library; nil for the default one.
    ///   - sequence: The sequence; nil for none.
    ///   - epoch: The epoch; nil for none.
    ///   - mutation: The id of the mutation that caused the event; nil for none.
    public static func change(
        _ resource: String, type: String = "file", metadata: String? = nil, library: String? = nil,
        sequence: Int64? = nil, epoch: String? = nil, mutation: String? = nil
    ) -> String {
        let metadata = metadata.map { #","metadata":\#($0)"# } ?? ""
        return line(
            #"{"ResourceChanged":{"resource_type":\#(quoted(type)),"resource":\#(resource)\#(metadata)}}"#, library,
            sequence, epoch, mutation)
    }

    /// Returns the line of several new or changed resources of one type.
    ///
    /// - Parameters:
    ///   - resources: JSON objects.
    ///   - type: The resource type.
    ///   - metadata: A JSON value with which the resources are merged into the entities; nil to replace the entities.
    ///   - library: The library; nil for the default one.
    ///   - sequence: The sequence; nil for none.
    ///   - epoch: The epoch; nil for none.
    ///   - mutation: The id of the mutation that caused the event; nil for none.
    public static func batch(
        _ resources: [String], type: String = "file", metadata: String? = nil, library: String? = nil,
        sequence: Int64? = nil, epoch: String? = nil, mutation: String? = nil
    ) -> String {
        let metadata = metadata.map { #","metadata":\#($0)"# } ?? ""
        let elements = resources.joined(separator: ",")
        return line(
            #"{"ResourceBatchChanged":{"resource_type":\#(quoted(type)),"resources":[\#(elements)]\#(metadata)}}"#,
            library, sequence, epoch, mutation)
    }

    /// Returns the line of a deleted resource.
    ///
    /// - Parameters:
    ///   - id: The id of the resource.
    ///   - type: The resource type.
    ///   - library: The library; nil for the default one.
    ///   - sequence: The sequence; nil for none.
    ///   - epoch: The epoch; nil for none.
    ///   - mutation: The id of the mutation that caused the event; nil for none.
    public static func delete(
        _ id: String, type: String = "file", library: String? = nil, sequence: Int64? = nil, epoch: String? = nil,
        mutation: String? = nil
    ) -> String {
        line(
            #"{"ResourceDeleted":{"resource_type":\#(quoted(type)),"resource_id":\#(quoted(id))}}"#, library, sequence,
            epoch, mutation)
    }

    /// Returns the line of a heartbeat, which names the highest sequence of a log.
    public static func heartbeat(_ last: Int64, library: String? = nil, epoch: String? = nil) -> String {
        line(#"{"Heartbeat":{"last_sequence":\#(last)}}"#, library, nil, epoch, nil)
    }

    /// Returns the line that begins a new log.
    public static func reset(epoch: String, library: String? = nil) -> String {
        line(#"{"Reset":{"epoch":\#(quoted(epoch))}}"#, library, nil, nil, nil)
    }

    private static func line(
        _ event: String, _ library: String?, _ sequence: Int64?, _ epoch: String?, _ mutation: String?
    ) -> String {
        var members: [String] = []
        if let library { members.append(#""library_id":\#(quoted(library))"#) }
        if let sequence { members.append(#""sequence":\#(sequence)"#) }
        if let epoch { members.append(#""epoch":\#(quoted(epoch))"#) }
        if let mutation { members.append(#""mutation_id":\#(quoted(mutation))"#) }
        if members.isEmpty { return event }
        return "{\(members.joined(separator: ",")),\"event\":\(event)}"
    }

    private static func quoted(_ text: String) -> String {
        var json: [UInt8] = []
        CanonicalString.append(Array(text.utf8), to: &json)
        return String(decoding: json, as: UTF8.self)
    }
}

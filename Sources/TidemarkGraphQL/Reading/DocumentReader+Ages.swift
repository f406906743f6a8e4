import TidemarkModel

/// The object whose fields are being read.
struct FieldContext {
    /// The entity that holds the field, directly or in an embedded object.
    var key: ReadKey
    /// The dates of that entity; nil for a look-up by key, which has no dates.
    var view: EntityView?
    /// The type of the object; nil if unknown.
    var typename: ByteString?
    /// The sequences of the entity's fields.
    var sequences = FieldSequences.one(nil)
    /// The path of storage names inside the entity, joined as in ``StoragePath``. Empty for the entity itself, and
    /// wherever neither a limit nor a sequence depends on it.
    var storagePath: ByteString
    /// The schema's limit with which the object was reached.
    var reached: AgeLimit
    /// The document's limit for fields selected directly in the object, in seconds.
    var operationAge: Int?
    /// True inside a list, where nothing has a date of its own.
    var isInsideList = false

    var insideList: FieldContext {
        var context = self
        context.isInsideList = true
        return context
    }
}

/// The limits of one field.
struct FieldLimits {
    /// The limit of the field itself.
    var own: AgeLimit
    /// The schema's limit with which the object in the field is reached.
    var inner: AgeLimit
    /// The document's limit for fields selected directly in that object, in seconds.
    var operationAge: Int?

    /// The limits of a field that never becomes too old.
    static let unlimited = FieldLimits(own: .unlimited, inner: .unlimited, operationAge: nil)
}

/// Paths of storage names inside an entity.
enum StoragePath {
    /// The byte between two names, which no name contains.
    static let separator: UInt8 = 0

    static func joined(_ path: ByteString, _ name: ByteString) -> ByteString {
        ByteString(path.bytes + [separator] + name.bytes)
    }
}

/// Limits of age. The later ones in this order override the earlier: schema type, schema field, operation type,
/// operation field.
extension DocumentReader where Source: ~Escapable {
    func limits(
        of field: CollectedField, _ planned: PlanField, _ context: FieldContext, found: ByteString?
    ) -> FieldLimits {
        let policy = plan.rules.policy
        var schema = AgeLimit.unlimited
        if !policy.types.isEmpty {
            schema =
                context.typename.map {
                    policy.limit(of: planned.name, in: $0, reachedWith: context.reached, found: found)
                } ?? context.reached
        }
        var own = schema
        if let maxAge = field.maxAge {
            own = AgeLimit(seconds: maxAge, origin: .operationField)
        } else if let operationAge = context.operationAge {
            own = AgeLimit(seconds: operationAge, origin: .operationType)
        } else if field.inheritsAge {
            own = context.reached
        }
        return FieldLimits(own: own, inner: schema, operationAge: field.set == nil ? nil : field.maxAge)
    }

    mutating func checkAge(_ limit: AgeLimit, _ planned: PlanField, _ context: FieldContext) throws(DocumentMiss) {
        guard let view = context.view else { return }
        let write = view.dates.write(of: context.storagePath, isInsideList: context.isInsideList)
        note(write)
        guard let maxAge = limit.seconds else { return }
        let end = write.writtenAt.addingClamped(Int64(millisecondsOfSeconds: maxAge))
        reading.expiresAt = min(reading.expiresAt ?? end, end)
        if freshness.ignoresAges { return }
        let age = max(freshness.now.subtractingClamped(write.writtenAt), 0)
        let overdue = age.subtractingClamped(Int64(millisecondsOfSeconds: maxAge))
        guard overdue >= 0 else { return }
        reading.isStale = true
        guard !freshness.takes(overdue) else { return }
        throw DocumentMiss(
            path: responsePath, reason: .expired, key: context.key.key,
            expired: DocumentMiss.Expired(
                field: planned.storageName, writtenAt: write.writtenAt, maxAge: maxAge))
    }
}

extension FieldTimes {
    /// Returns the write of a field: its own, or else that of the nearest enclosing field that has one.
    func write(of path: ByteString, isInsideList: Bool) -> Write {
        if areOne { return rest }
        if let own = self[path] { return own }
        var bytes = path.bytes[...]
        while let end = bytes.lastIndex(of: StoragePath.separator) {
            bytes = bytes[..<end]
            if let outer = self[ByteString(bytes)] { return outer }
        }
        return rest
    }
}

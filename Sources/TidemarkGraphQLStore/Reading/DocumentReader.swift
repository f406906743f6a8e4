import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// Puts a document's data together from entities.
///
/// Pure: it asks a source for entities and changes nothing. It reads what a plan names, in the order of CollectFields,
/// and ends at the first thing that is missing, deleted, evicted or too old.
///
/// - Source: Protocol/graphql.md, reading.
package struct DocumentReader<Source: EntitySource> {
    /// Additions to a read.
    package struct Options: Sendable {
        /// Whether each entity shows its key as `__ref`, so that the data can be written again.
        package var showsKeys = false
        /// Whether the places of entities in the data are noted.
        package var notesPlaces = false

        package init(showsKeys: Bool = false, notesPlaces: Bool = false) {
            self.showsKeys = showsKeys
            self.notesPlaces = notesPlaces
        }
    }

    let plan: OperationPlan
    let source: Source
    let freshness: GraphFreshness
    let completeness: GraphCompleteness
    let options: Options
    /// Nothing can be too old: dates are looked at for their sequences only.
    private let isAgeless: Bool
    /// The entity whose fields come next.
    private var openKey: GraphKey?
    /// The steps to the value that is read. The step of a leaf is added when something is missing.
    var path: ResponsePath = []
    var reading = GraphReading()
    /// The place whose fields are read, and the steps to it.
    var place: (number: Int, depth: Int)?
    /// Entities to load; while there are some, values that need them are left open.
    private var unloaded: [GraphKey] = []
    /// Members of the objects that are open. Bound: those objects' members.
    private var members: [StoredScan.Member] = []

    private init(
        _ plan: OperationPlan, _ source: Source, _ freshness: GraphFreshness, _ completeness: GraphCompleteness,
        _ options: Options
    ) {
        self.options = options
        self.plan = plan
        self.source = source
        self.freshness = freshness
        self.completeness = completeness
        isAgeless = plan.isAgeless
        if options.notesPlaces { reading.places = EntityPlaces() }
    }

    /// - Parameters:
    ///   - key: The entity that a fragment's plan is about; nil for an operation.
    /// - Complexity: O(data + the resources that it is read from).
    package static func read(
        _ plan: OperationPlan, from source: Source, key: GraphKey? = nil, freshness: GraphFreshness,
        completeness: GraphCompleteness = .whole, options: Options = Options()
    ) -> GraphReadOutcome {
        var reader = DocumentReader(plan, source, freshness, completeness, options)
        do throws(GraphMiss) {
            if let key {
                try reader.entity(key, set: plan.rootSet, reached: nil, operationAge: nil)
            } else {
                try reader.operation()
            }
        } catch {
            if reader.unloaded.isEmpty { return .missed(error, visits: reader.reading.visits) }
        }
        return reader.unloaded.isEmpty ? .read(reader.reading) : .unloaded(reader.unloaded)
    }

    // MARK: Roots

    private mutating func operation() throws(GraphMiss) {
        let collection = plan.collection(of: plan.rootSet, typename: plan.rootTypename)
        let rootLimit = plan.rules.policy.rootLimit(of: plan.rootTypename ?? GraphKey.rootType)
        try object(collection) { (reader, _, field) throws(GraphMiss) in
            if field.planned.isTypename {
                CanonicalString.append((reader.plan.rootTypename ?? "").bytes, to: &reader.reading.data)
                return
            }
            let outer = reader.place
            defer { reader.place = outer }
            try reader.root(field, rootLimit)
        }
    }

    private mutating func root(_ field: CollectedField, _ rootLimit: AgeLimit) throws(GraphMiss) {
        let planned = field.planned
        let key = GraphKey(root: RootID.of(planned.storageName, field: planned.name))
        visit(EntityVisit(key: key, collection: OperationPlan.rootVisit), fieldCount: 0)
        let context = FieldContext(
            key: key, view: nil, typename: plan.rootTypename, storagePath: "value", reached: rootLimit,
            operationAge: plan.rootMaxAge)
        switch source.look(key) {
        case .unloaded: unloaded.append(key)
        case .missing(let reason):
            guard let references = lookUp(field, planned) else { throw miss(reason, key) }
            var bytes: [UInt8] = []
            references.append(to: &bytes)
            let limits = limits(of: field, planned, context, found: nil)
            try bytes.withBytes { (bytes) throws(GraphMiss) in
                try value(0..<bytes.count, of: bytes, field, context, limits)
            }
        case .found(var view):
            if view.isPending { reading.isPending = true }
            let name = GraphRootName(storageName: planned.storageName)
            if let staleSince = source.staleSince(name) { try checkStale(since: staleSince, key) }
            if field.set != nil, let keys = source.list(name) { view.resource = listResource(keys) }
            try view.resource.withBytes { (bytes) throws(GraphMiss) in
                let base = members.count
                StoredScan.open(0..<bytes.count, of: bytes, into: &members)
                defer { members.removeLast(members.count - base) }
                let range = StoredScan.value(of: Self.valueName, in: members, base..<members.count, of: bytes)
                guard let range else { throw miss(view.isReduced ? .evicted : .absent, key) }
                var context = context
                context.view = view
                try self.field(range, of: bytes, field, context)
            }
        }
    }

    private static var valueName: [UInt8] { [0x76, 0x61, 0x6C, 0x75, 0x65] }

    // MARK: Objects

    /// Reads the fields of one object: braces, names, and what `body` appends as each value.
    private mutating func object(
        _ collection: Collection,
        _ body: (inout DocumentReader, Int, CollectedField) throws(GraphMiss) -> Void
    ) throws(GraphMiss) {
        let start = reading.data.count
        reading.data.append(UInt8(ascii: "{"))
        if options.showsKeys, let key = openKey {
            reading.data += "\"__ref\":".utf8
            CanonicalString.append(key.text.bytes, to: &reading.data)
        }
        openKey = nil
        /// The start of the bytes of each field that was appended.
        var ranges: [(field: Int, start: Int)] = []
        var missing: Set<Int> = []
        for (number, field) in collection.fields.enumerated() where !field.isAdded {
            let mark = reading.data.count
            let deferredCount = reading.deferred.count
            let listCount = reading.lists.count
            let name = field.planned.separatedResponseName
            if mark > start + 1 {
                reading.data.append(contentsOf: name)
            } else {
                reading.data.append(contentsOf: name[1...])
            }
            if field.set != nil { path.append(.name(field.planned.responseName)) }
            defer { if field.set != nil { path.removeLast() } }
            do throws(GraphMiss) {
                try body(&self, number, field)
                if !collection.deferrals.isEmpty { ranges.append((number, mark)) }
            } catch {
                reading.data.removeLast(reading.data.count - mark)
                reading.deferred.removeLast(reading.deferred.count - deferredCount)
                reading.lists.removeLast(reading.lists.count - listCount)
                if !field.deferrals.isEmpty, completeness != .whole {
                    missing.formUnion(field.deferrals)
                } else if completeness == .partial {
                    reading.isPartial = true
                } else {
                    guard field.set == nil else { throw error }
                    var error = error
                    error.path.append(.name(field.planned.responseName))
                    throw error
                }
            }
        }
        if !missing.isEmpty { leaveOut(missing, collection, ranges, from: start) }
        reading.data.append(UInt8(ascii: "}"))
        guard !collection.deferrals.isEmpty || !collection.notExecuted.isEmpty else { return }
        reading.deferred += plan.states(of: collection, missing: missing, at: path)
    }

    /// Removes the fields that only missing fragments have.
    private mutating func leaveOut(
        _ missing: Set<Int>, _ collection: Collection, _ ranges: [(field: Int, start: Int)], from start: Int
    ) {
        reading.isPartial = true
        var kept: [UInt8] = [UInt8(ascii: "{")]
        let inside = reading.lists.partitioningIndex { $0.offset >= start }
        var lists: [EntityList] = []
        for (place, range) in ranges.enumerated() {
            let deferrals = collection.fields[range.field].deferrals
            if !deferrals.isEmpty, deferrals.allSatisfy({ missing.contains($0) }) { continue }
            let end = place + 1 < ranges.count ? ranges[place + 1].start : reading.data.count
            var bytes = reading.data[range.start..<end]
            if bytes.first == UInt8(ascii: ",") { bytes = bytes.dropFirst() }
            if kept.count > 1 { kept.append(UInt8(ascii: ",")) }
            for list in reading.lists[inside...] where bytes.indices.contains(list.offset) {
                lists.append(
                    EntityList(offset: start + kept.count + list.offset - bytes.startIndex, keys: list.keys))
            }
            kept.append(contentsOf: bytes)
        }
        reading.lists.replaceSubrange(inside..., with: lists)
        reading.data.removeLast(reading.data.count - start)
        reading.data.append(contentsOf: kept)
    }

    /// Reads an entity.
    private mutating func entity(
        _ key: GraphKey, set: Int, reached: AgeLimit?, operationAge: Int?
    ) throws(GraphMiss) {
        let typename = plan.rules.typename(of: key.type)
        let collection = plan.collection(of: set, typename: typename)
        let outer = place
        defer { place = outer }
        visit(EntityVisit(key: key, collection: collection.index), fieldCount: collection.fields.count)
        switch source.look(key) {
        case .unloaded:
            unloaded.append(key)
            reading.data += "null".utf8
        case .missing(let reason): throw miss(reason, key)
        case .found(let view):
            if view.isPending { reading.isPending = true }
            let limit = reached ?? plan.rules.policy.rootLimit(of: key.type)
            let context = FieldContext(
                key: key, view: view, typename: typename, storagePath: "", reached: limit, operationAge: operationAge)
            openKey = key
            try view.resource.withBytes { (bytes) throws(GraphMiss) in
                try fields(of: 0..<bytes.count, of: bytes, collection, context, isEntity: true)
            }
        }
    }

    /// Reads the fields of an entity or an embedded object.
    private mutating func fields(
        of range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ collection: Collection, _ context: FieldContext,
        isEntity: Bool
    ) throws(GraphMiss) {
        let base = members.count
        StoredScan.open(range, of: bytes, into: &members)
        let end = members.count
        defer { members.removeLast(members.count - base) }
        // Stored fields have the order of the selection for the most part.
        var expected = base
        let own = isEntity ? place?.number : nil
        try object(collection) { (reader, number, field) throws(GraphMiss) in
            let planned = field.planned
            if planned.isTypename {
                guard let typename = context.typename else { throw reader.miss(.absent, context.key) }
                CanonicalString.append(typename.bytes, to: &reader.reading.data)
                return
            }
            let found = StoredScan.index(
                of: planned.writtenStorageName, in: reader.members, base..<end, expected: expected, of: bytes)
            guard let found else {
                throw reader.miss(context.view?.isReduced == true ? .evicted : .absent, context.key)
            }
            expected = found + 1
            let value = reader.members[found].value
            if let own, field.set == nil { reader.reading.places?.note(number, of: own, at: reader.reading.data.count) }
            if reader.isAgeless, field.set == nil {
                reader.noteSequence(of: planned.storageName, in: context)
                reader.reading.data.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[value]))
                return
            }
            var inner = context
            inner.storagePath =
                context.storagePath.bytes.isEmpty
                ? planned.storageName : StoragePath.joined(context.storagePath, planned.storageName)
            try reader.field(value, of: bytes, field, inner)
        }
    }

    // MARK: Values

    /// Reads the value of a field that is there, unless it is too old.
    private mutating func field(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ field: CollectedField, _ context: FieldContext
    ) throws(GraphMiss) {
        if isAgeless {
            if let view = context.view {
                note(view.dates.write(of: context.storagePath, isInsideList: context.isInsideList))
            }
            return try value(range, of: bytes, field, context, .unlimited)
        }
        let found = field.set == nil ? nil : foundType(range, of: bytes)
        let limits = limits(of: field, field.planned, context, found: found)
        try checkAge(limits.own, field.planned, context)
        try value(range, of: bytes, field, context, limits)
    }

    private mutating func value(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ field: CollectedField, _ context: FieldContext,
        _ limits: FieldLimits
    ) throws(GraphMiss) {
        guard let set = field.set, bytes[range.lowerBound] != UInt8(ascii: "n") else {
            reading.data.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[range]))
            return
        }
        if bytes[range.lowerBound] == UInt8(ascii: "[") { return try list(range, of: bytes, field, context, limits) }
        if let key = reference(range, of: bytes, field) {
            return try entity(key, set: set, reached: limits.inner, operationAge: limits.operationAge)
        }
        guard bytes[range.lowerBound] == UInt8(ascii: "{") else { throw miss(.absent, context.key) }
        var inner = context
        inner.typename = StoredReference.typename(range, of: bytes) ?? field.objectTypename
        inner.reached = limits.inner
        inner.operationAge = limits.operationAge
        let collection = plan.collection(of: set, typename: inner.typename)
        try fields(of: range, of: bytes, collection, inner, isEntity: false)
    }

    private mutating func list(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ field: CollectedField, _ context: FieldContext,
        _ limits: FieldLimits
    ) throws(GraphMiss) {
        let place = reading.lists.count
        var keys: [GraphKey?] = []
        var hasKeys = false
        reading.lists.append(EntityList(offset: reading.data.count, keys: []))
        reading.data.append(UInt8(ascii: "["))
        // The elements of a list are as old as the list.
        let inside = context.insideList
        try StoredScan.forEachElement(of: range, of: bytes) { (index, element) throws(GraphMiss) in
            if index > 0 { reading.data.append(UInt8(ascii: ",")) }
            path.append(.index(index))
            defer { path.removeLast() }
            let key = reference(element, of: bytes, field)
            keys.append(key)
            if let key, let set = field.set {
                hasKeys = true
                try entity(key, set: set, reached: limits.inner, operationAge: limits.operationAge)
            } else {
                try value(element, of: bytes, field, inside, limits)
            }
        }
        reading.data.append(UInt8(ascii: "]"))
        if hasKeys { reading.lists[place].keys = keys } else { reading.lists.remove(at: place) }
    }
}

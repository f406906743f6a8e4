import TidemarkJSON
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// Assembles the data of a document from entities.
///
/// It looks up entities in a source and changes nothing. It reads what a plan selects, in the order of CollectFields,
/// and stops at the first thing that is missing, deleted, evicted or too old.
///
/// - Source: Protocol/graphql.md, reading.
package struct DocumentReader<Source: EntitySource & ~Escapable>: ~Copyable, ~Escapable {
    /// The type that was read last in one set, with its collection.
    private struct Recent {
        let type: ByteString
        /// The source's number of the type; nil if the source lends no entities of it.
        let number: TypeIndex?
        let typename: ByteString
        let collection: Collection
    }

    let plan: OperationPlan
    let source: Source
    let freshness: GraphQLFreshness
    let completeness: GraphQLCompleteness
    let options: GraphQLReadOptions
    /// True if nothing can be too old. Dates are then read only for their sequences.
    private let isAgeless: Bool
    /// The entity whose key is shown before its fields; nil otherwise.
    private var openKey: GraphQLKey?
    /// The path of the current value. The step of a leaf is added only when something is missing.
    var path: [PathStep] = []
    var reading = GraphQLReading()
    /// The data so far.
    var data = TextBuffer()
    /// The place whose fields are being read, and its depth in the path.
    var place: (number: Int, depth: Int)?
    /// The entities to load. While there are some, values that need them are left open.
    private var unloaded: [GraphQLKey] = []
    private var members = MemberStack()
    /// The types read last, by set, because the entities of a list mostly have one type. Bounded by the plan's sets.
    private var recent: [Recent?] = []
    private let hasDeferrals: Bool
    /// The deferred fragments that lack a field.
    private var ledger: DeferralLedger

    @_lifetime(copy source)
    private init(
        _ plan: OperationPlan, _ source: Source, _ freshness: GraphQLFreshness, _ completeness: GraphQLCompleteness,
        _ options: GraphQLReadOptions, hiding hidden: [ResponsePath: Set<Int>] = [:]
    ) {
        hasDeferrals = plan.hasDeferrals
        ledger = DeferralLedger(hiding: hidden)
        self.options = options
        self.plan = plan
        self.source = source
        self.freshness = freshness
        self.completeness = completeness
        isAgeless = plan.isAgeless
        if options.notesPlaces { reading.places = EntityPlaces() }
    }

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - plan: The plan of the operation or fragment.
    ///   - source: The entities.
    ///   - key: The entity that a fragment's plan reads; nil for an operation.
    ///   - freshness: Which ages are accepted.
    ///   - completeness: How missing fields are handled.
    ///   - options: What the read records in addition.
    /// - Returns: The data, or the first thing that is missing, or the entities to load first.
    /// - Complexity: O(data + the resources that it is read from).
    package static func read(
        _ plan: OperationPlan, from source: Source, key: GraphQLKey? = nil, freshness: GraphQLFreshness,
        completeness: GraphQLCompleteness = .whole, options: GraphQLReadOptions = GraphQLReadOptions()
    ) -> GraphQLReadOutcome {
        var reader = DocumentReader(plan, source, freshness, completeness, options)
        let outcome = reader.run(key)
        guard case .read(let first) = outcome, !reader.ledger.found.isEmpty else { return outcome }
        var second = DocumentReader(plan, source, freshness, completeness, options, hiding: reader.ledger.found)
        guard case .read(var reading) = second.run(key) else { return outcome }
        reading.isPartial = true
        // Changes of missing fields matter as much as changes of shown ones.
        reading.visits = first.visits
        reading.lentSlots = first.lentSlots
        return .read(reading)
    }

    private mutating func run(_ key: GraphQLKey?) -> GraphQLReadOutcome {
        do throws(DocumentMiss) {
            if let key {
                try entity(.key(key), set: plan.rootSet, reached: nil, operationAge: nil)
            } else {
                try operation()
            }
        } catch {
            if unloaded.isEmpty { return .missed(error, visits: reading.visits) }
        }
        guard unloaded.isEmpty else { return .unloaded(unloaded) }
        reading.data = data.bytes(in: 0..<data.count)
        return .read(reading)
    }

    // MARK: Roots

    private mutating func operation() throws(DocumentMiss) {
        let collection = plan.collection(of: plan.rootSet, typename: plan.rootTypename)
        let rootLimit = plan.rules.policy.rootLimit(of: plan.rootTypename ?? GraphQLKey.rootType)
        try object(collection) { (reader, step) throws(DocumentMiss) in
            if step.isTypename {
                reader.data.append(collection.typenameText ?? [0x22, 0x22])
                return
            }
            let outer = reader.place
            defer { reader.place = outer }
            try reader.root(collection.fields[step.number], rootLimit)
        }
    }

    private mutating func root(_ field: CollectedField, _ rootLimit: AgeLimit) throws(DocumentMiss) {
        let planned = field.planned
        let key = GraphQLKey(root: RootID.of(planned.storageName, field: planned.name))
        visit(EntityVisit(key: key, collection: OperationPlan.rootVisit), fieldCount: 0)
        var context = FieldContext(
            key: .key(key), view: nil, typename: plan.rootTypename, storagePath: "value", reached: rootLimit,
            operationAge: plan.rootMaxAge)
        switch source.look(key) {
        case .unloaded: unloaded.append(key)
        case .missing(let reason):
            guard let references = lookUp(field, planned) else { throw miss(reason, .key(key)) }
            var bytes: [UInt8] = []
            references.append(to: &bytes)
            let limits = limits(of: field, planned, context, found: nil)
            try bytes.withBytes { (bytes) throws(DocumentMiss) in
                try value(0..<bytes.count, of: bytes, field, context, limits)
            }
        case .found(var view):
            if view.isPending { reading.isPending = true }
            let name = RootName(storageName: planned.storageName)
            if let staleSince = source.staleSince(name) { try checkStale(since: staleSince, .key(key)) }
            if field.set != nil, let keys = source.list(name) {
                view.resource = .kept(DocumentReader.listResource(keys))
            }
            context.view = view
            context.sequences = view.dates.sequences
            try view.resource.withBytes { (bytes) throws(DocumentMiss) in
                let base = members.count
                StoredScan.open(0..<bytes.count, of: bytes, into: &members)
                defer { members.truncate(to: base) }
                let range = StoredScan.value(of: Self.valueName, in: members, base..<members.count, of: bytes)
                guard let range else { throw miss(view.isReduced ? .evicted : .absent, .key(key)) }
                try self.field(range, of: bytes, field, context)
            }
        }
    }

    private static var valueName: [UInt8] { [0x76, 0x61, 0x6C, 0x75, 0x65] }

    // MARK: Objects

    /// Reads the fields of one object: writes braces and names, and calls `body` to append each value.
    @inline(__always)
    private mutating func object(
        _ collection: Collection,
        _ body: (inout DocumentReader, FieldStep) throws(DocumentMiss) -> Void
    ) throws(DocumentMiss) {
        let start = data.count
        data.append(UInt8(ascii: "{"))
        if let key = openKey {
            var text: [UInt8] = []
            CanonicalString.append(key.text.bytes, to: &text)
            data.append("\"__ref\":")
            data.append(text)
            openKey = nil
        }
        let hasOwnDeferrals = hasDeferrals && !collection.deferrals.isEmpty
        if hasOwnDeferrals { ledger.begin(at: responsePath) }
        // The plan retains the collection, and with it the steps.
        for step in collection.steps.steps {
            if hasDeferrals, ledger.hides(collection.fields[step.number]) { continue }
            let mark = data.count
            let deferredCount = reading.deferred.count
            let listCount = reading.lists.count
            if mark > start + 1 {
                data.append(step.response)
            } else {
                data.append(UnsafeRawBufferPointer(rebasing: step.response[1...]))
            }
            if !step.isLeaf { path.append(.field(collection: collection.index, number: step.number)) }
            defer { if !step.isLeaf { path.removeLast() } }
            do throws(DocumentMiss) {
                try body(&self, step)
            } catch {
                data.truncate(to: mark)
                reading.deferred.removeLast(reading.deferred.count - deferredCount)
                reading.lists.removeLast(reading.lists.count - listCount)
                let field = collection.fields[step.number]
                if !field.deferrals.isEmpty, completeness != .whole {
                    ledger.note(missing: field)
                } else if completeness == .partial {
                    reading.isPartial = true
                } else {
                    if hasOwnDeferrals { ledger.abandon(collection.deferrals) }
                    guard step.isLeaf else { throw error }
                    var error = error
                    error.path.append(.name(field.planned.responseName))
                    throw error
                }
            }
        }
        data.append(UInt8(ascii: "}"))
        guard hasOwnDeferrals || !collection.notExecuted.isEmpty else { return }
        let place = responsePath
        let missing = ledger.end(collection.deferrals, at: place)
        reading.deferred += plan.states(of: collection, missing: missing, at: place)
    }

    /// Returns the collection for entities of a key's type in a set.
    @inline(__always)
    private mutating func recall(_ key: ReadKey, _ set: Int) -> Recent {
        if set < recent.count, let last = recent[set], key.isOfType(last.type) { return last }
        return remember(key.key.type, set)
    }

    @inline(never)
    private mutating func remember(_ type: ByteString, _ set: Int) -> Recent {
        let typename = plan.rules.typename(of: type)
        let entry = Recent(
            type: type, number: source.typeNumber(of: type), typename: typename,
            collection: plan.collection(of: set, typename: typename))
        while recent.count <= set { recent.append(nil) }
        recent[set] = entry
        return entry
    }

    /// Reads an entity.
    mutating func entity(
        _ key: ReadKey, set: Int, reached: AgeLimit?, operationAge: Int?
    ) throws(DocumentMiss) {
        let known = recall(key, set)
        let collection = known.collection
        let outer = place
        defer { place = outer }
        if options.notesEntities {
            visit(EntityVisit(key: key.key, collection: collection.index), fieldCount: collection.fields.count)
        }
        let view: EntityView
        if let type = known.number, let lent = key.withID({ source.lend(type, $0) }) {
            if !options.notesEntities { reading.lentSlots.append(lent.slot) }
            view = EntityView(lent)
        } else {
            let key = key.key
            if !options.notesEntities { reading.visits.append(EntityVisit(key: key, collection: collection.index)) }
            switch source.look(key) {
            case .unloaded:
                unloaded.append(key)
                return data.append("null")
            case .missing(let reason): throw miss(reason, .key(key))
            case .found(let found): view = found
            }
        }
        if view.isPending { reading.isPending = true }
        let limit = reached ?? plan.rules.policy.rootLimit(of: known.type)
        let context = FieldContext(
            key: key, view: view, typename: known.typename, sequences: view.dates.sequences, storagePath: "",
            reached: limit, operationAge: operationAge)
        if options.showsKeys { openKey = key.key }
        try view.resource.withBytes { (bytes) throws(DocumentMiss) in
            try fields(of: 0..<bytes.count, of: bytes, collection, context, isEntity: true)
        }
    }

    /// Reads the fields of an entity or an embedded object.
    private mutating func fields(
        of range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ collection: Collection, _ context: FieldContext,
        isEntity: Bool
    ) throws(DocumentMiss) {
        let base = members.count
        StoredScan.open(range, of: bytes, into: &members)
        let end = members.count
        defer { members.truncate(to: base) }
        // Stored fields mostly have the order of the selection.
        var expected = base
        let own = isEntity ? place?.number : nil
        try object(collection) { (reader, step) throws(DocumentMiss) in
            if step.isTypename {
                guard let typename = collection.typenameText else { throw reader.miss(.absent, context.key) }
                reader.data.append(typename)
                return
            }
            let found = StoredScan.index(
                of: step.stored, in: reader.members, base..<end, expected: expected, of: bytes)
            guard let found else {
                throw reader.miss(context.view?.isReduced == true ? .evicted : .absent, context.key)
            }
            expected = found + 1
            let value = reader.members[found].value
            if let own, step.isLeaf { reader.reading.places?.note(step.number, of: own, at: reader.data.count) }
            if reader.isAgeless, step.isLeaf {
                let field = reader.needsName(context) ? collection.fields[step.number] : nil
                reader.noteSequence(of: field?.planned.storageName, in: context)
                reader.data.append(UnsafeRawBufferPointer(rebasing: bytes[value]))
                return
            }
            let field = collection.fields[step.number]
            guard !reader.isAgeless || reader.needsName(context) else {
                return try reader.field(value, of: bytes, field, context)
            }
            var inner = context
            let name = field.planned.storageName
            inner.storagePath =
                context.storagePath.bytes.isEmpty ? name : StoragePath.joined(context.storagePath, name)
            try reader.field(value, of: bytes, field, inner)
        }
    }

    // MARK: Values

    /// Reads the value of a field that is present, unless it is too old.
    private mutating func field(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ field: CollectedField, _ context: FieldContext
    ) throws(DocumentMiss) {
        if isAgeless {
            noteSequence(of: nil, in: context)
            return try value(range, of: bytes, field, context, .unlimited)
        }
        let found = field.set == nil ? nil : foundType(range, of: bytes)
        let limits = limits(of: field, field.planned, context, found: found)
        try checkAge(limits.own, field.planned, context)
        try value(range, of: bytes, field, context, limits)
    }

    mutating func value(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ field: CollectedField, _ context: FieldContext,
        _ limits: FieldLimits
    ) throws(DocumentMiss) {
        guard let set = field.set, bytes[range.lowerBound] != UInt8(ascii: "n") else {
            return data.append(UnsafeRawBufferPointer(rebasing: bytes[range]))
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
}

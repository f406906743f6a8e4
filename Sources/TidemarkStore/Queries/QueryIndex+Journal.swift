import TidemarkModel

/// What the journal keeps of the queries.
extension CacheState {
    /// Takes a query in as the journal had it. Its elements' entities stay with the journal.
    mutating func restore(_ record: QueryRecord) {
        guard Int(record.library) < libraryNames.names.count else { return }
        if isUnstored(record.type) {
            // Its entities are gone with the last session; whoever asks for it asks anew.
            queries.removedNumbers.append(record.number)
            isUnwritten = true
            return
        }
        let key = QueryKey(
            library: libraryNames.names[Int(record.library)], method: record.method, canonicalInput: record.input)
        var membership: Membership?
        if !record.membership.bytes.isEmpty {
            do throws(MembershipError) {
                membership = try Membership(json: record.membership.bytes)
            } catch {
                // A rule that an older version took: the query is answered anew.
                queries.removedNumbers.append(record.number)
                return
            }
        }
        let query = queries.add(QueryEntry(key: key, library: record.library, number: record.number))
        queries[query].type = record.type
        queries[query].listedThrough = record.asOf
        queries[query].tags = record.tags.bytes
        queries[query].membershipText = record.membership.bytes
        queries[query].membership = membership
        queries[query].isLocal = record.isLocal
        queries[query].timeToLive = record.timeToLive
        queries[query].asOf = record.asOf
        queries[query].storedAt = record.storedAt
        queries[query].staleSince = record.staleSince
        queries[query].horizon = record.horizon
        queries.file(query)
        if let asOf = record.asOf {
            let library = Int(record.library)
            libraries[library].answeredThrough = max(libraries[library].answeredThrough ?? asOf, asOf)
        }
        queries.setUnbuilt(record.elements, of: query)
        queries[query].hasRow = true
    }

    /// Hands over every query that changed since the last flush, whole.
    mutating func takeQueries(into flush: inout FlushBatch) {
        var filling: [UInt32] = []
        for query in queries.dirty where queries[query].isDirty {
            queries[query].isDirty = false
            guard queries[query].isStored else { continue }
            if isUnstored(queries[query].type) {
                if queries[query].hasRow { queries.removedNumbers.append(queries[query].number) }
                queries[query].hasRow = false
                continue
            }
            if queries[query].fill != nil {
                filling.append(query)
                // What the journal has of it no longer holds.
                if queries[query].hasRow { queries.removedNumbers.append(queries[query].number) }
                queries[query].hasRow = false
                continue
            }
            let record = queries.record(of: query)
            guard record.listByteCount <= configuration.writtenListByteCountMax else {
                // No row holds it, as where a rule puts long strings in order: it is in memory only until it is shorter.
                if queries[query].hasRow { queries.removedNumbers.append(queries[query].number) }
                queries[query].hasRow = false
                continue
            }
            queries[query].hasRow = true
            flush.queries.append(record)
        }
        queries.dirty.removeAll(keepingCapacity: true)
        for query in filling { queries.markDirty(query) }
        flush.removedQueries = queries.removedNumbers
        queries.removedNumbers = []
    }
}

extension QueryIndex {
    /// - Complexity: O(elements).
    func record(of query: UInt32) -> QueryRecord {
        let entry = self[query]
        var elements = entry.unbuilt ?? []
        elements.reserveCapacity(entry.list.count)
        entry.list.forEachNode { node in
            if entry.list.marks(of: node).contains(.isExtra) { return }
            elements.append(
                QueryElement(id: keys.key(of: entry.list.handle(of: node)).id, sortKey: entry.list.sortKey(of: node)))
        }
        return QueryRecord(
            number: entry.number, library: entry.library, type: entry.type, method: entry.key.method,
            input: entry.key.input, tags: ByteString(entry.tags), membership: ByteString(entry.membershipText),
            isLocal: entry.isLocal, timeToLive: entry.timeToLive, asOf: entry.asOf, storedAt: entry.storedAt,
            staleSince: entry.staleSince, horizon: entry.horizon, elements: elements)
    }

    /// The journal lost what it had.
    mutating func markAllDirty() {
        removedNumbers = []
        for query in all where self[query].isStored {
            self[query].hasRow = false
            markDirty(query)
        }
    }
}

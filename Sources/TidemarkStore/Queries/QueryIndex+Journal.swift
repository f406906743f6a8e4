import TidemarkModel

/// Restores queries from the journal, and writes them to it.
extension CacheState {
    /// Restores a query from the journal. The entities of its elements stay there.
    mutating func restore(_ record: QueryRecord) {
        guard libraries.contains(record.library) else { return }
        if isUnstored(record.type) {
            // The query's entities ended with the last session. Its next reader must fetch it again.
            queries.removedNumbers.append(record.number)
            isUnwritten = true
            return
        }
        let key = QueryKey(
            library: libraries.name(of: record.library), method: record.method, canonicalInput: record.input)
        var membership: Membership?
        if !record.membership.bytes.isEmpty {
            do throws(MembershipError) {
                membership = try Membership(json: record.membership.bytes)
            } catch {
                // An older version accepted the rule. The query must be answered again.
                queries.removedNumbers.append(record.number)
                return
            }
        }
        let query = queries.add(QueryEntry(key: key, library: record.library, number: record.number))
        queries[query].restore(record, membership)
        queries.file(query)
        if let asOf = record.asOf {
            let answered = libraries[record.library].answeredThrough ?? asOf
            libraries[record.library].answeredThrough = max(answered, asOf)
        }
        queries.setUnbuilt(record.elements, of: query)
    }

    /// Moves every query that changed since the last flush into a flush, as complete records.
    mutating func takeQueries(into flush: inout FlushBatch) {
        var filling: [QueryID] = []
        for query in queries.dirty where queries[query].isDirty {
            queries[query].markClean()
            guard queries[query].isStored else { continue }
            if isUnstored(queries[query].type) {
                queries.voidRow(of: query)
                continue
            }
            if queries[query].fill.number != nil {
                filling.append(query)
                // The journal's record of the query is no longer valid.
                queries.voidRow(of: query)
                continue
            }
            let record = queries.record(of: query)
            guard record.listByteCount <= configuration.writtenListByteCountMax else {
                // The list does not fit in a row, for example because its rule sorts by long strings. It stays in
                // memory only, until it is shorter.
                queries.voidRow(of: query)
                continue
            }
            queries[query].noteRowWritten()
            flush.queries.append(record)
        }
        queries.dirty.removeAll(keepingCapacity: true)
        for query in filling { queries.markDirty(query) }
        flush.removedQueries = queries.removedNumbers
        queries.removedNumbers = []
    }
}

extension QueryIndex {
    /// Returns the record of a query for the journal.
    ///
    /// - Complexity: O(elements).
    func record(of query: QueryID) -> QueryRecord {
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

    /// Marks every query as unwritten, because the journal lost its data.
    mutating func markAllDirty() {
        removedNumbers = []
        for query in all where self[query].isStored {
            _ = self[query].voidRow()
            markDirty(query)
        }
    }
}

/// The neighbours of a query in a linked order of queries.
struct QueryLinks {
    var previous = QueryID.none
    var next = QueryID.none
}

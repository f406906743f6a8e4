/// The neighbours of a query in an order of queries.
struct QueryLinks {
    var previous = QueryID.none
    var next = QueryID.none
}

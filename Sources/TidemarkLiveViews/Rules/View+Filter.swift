extension View {
    /// A predicate over the sources of a view. `&&`, `||` and `!` combine predicates.
    public struct Filter: Sendable {
        let part: RulePart

        init(part: RulePart) { self.part = part }

        /// Fulfilled if all of the predicates are; also if there are none.
        public static func all(_ filters: [Filter]) -> Filter {
            Filter(part: .object([("all", .array(filters.map(\.part)))]))
        }

        /// Fulfilled if at least one of the predicates is.
        public static func any(_ filters: [Filter]) -> Filter {
            Filter(part: .object([("any", .array(filters.map(\.part)))]))
        }

        /// Fulfilled if both predicates are.
        public static func && (left: Filter, right: Filter) -> Filter { .all([left, right]) }

        /// Fulfilled if at least one of two predicates is.
        public static func || (left: Filter, right: Filter) -> Filter { .any([left, right]) }

        /// Fulfilled if the predicate is not.
        public static prefix func ! (filter: Filter) -> Filter { Filter(part: .object([("not", filter.part)])) }
    }
}

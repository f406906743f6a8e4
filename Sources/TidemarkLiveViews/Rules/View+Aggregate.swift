extension View {
    /// A value of a group, or of all rows: a count, a sum and the like. Each may count only the rows that a predicate
    /// selects.
    public struct Aggregate: Sendable {
        let part: RulePart

        private init(_ function: String, _ operand: RulePart, _ filter: Filter?) {
            part = .object([(function, operand)] + (filter.map { [("where", $0.part)] } ?? []))
        }

        /// The number of rows.
        public static func count(where filter: Filter? = nil) -> Aggregate { Aggregate("count", .flag(true), filter) }

        /// The number of rows in which the field has a value that is not null.
        public static func count<Value>(_ field: Field<Value>, where filter: Filter? = nil) -> Aggregate {
            Aggregate("count", field.path, filter)
        }

        /// The number of different values that are not null.
        public static func countDistinct<Value>(_ field: Field<Value>, where filter: Filter? = nil) -> Aggregate {
            Aggregate("count_distinct", field.path, filter)
        }

        /// The exact sum of the numbers; 0 without one.
        public static func sum<Value>(_ field: Field<Value>, where filter: Filter? = nil) -> Aggregate {
            Aggregate("sum", field.path, filter)
        }

        /// The mean of the numbers, with 20 significant digits; absent without one.
        public static func avg<Value>(_ field: Field<Value>, where filter: Filter? = nil) -> Aggregate {
            Aggregate("avg", field.path, filter)
        }

        /// The least boolean, number or string; absent without one.
        public static func min<Value>(_ field: Field<Value>, where filter: Filter? = nil) -> Aggregate {
            Aggregate("min", field.path, filter)
        }

        /// The greatest boolean, number or string; absent without one.
        public static func max<Value>(_ field: Field<Value>, where filter: Filter? = nil) -> Aggregate {
            Aggregate("max", field.path, filter)
        }
    }
}

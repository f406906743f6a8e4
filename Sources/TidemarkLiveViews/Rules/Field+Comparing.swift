import Tidemark

extension View.Field where Value: Encodable {
    /// Fulfilled if the field's value equals the given one.
    public static func == (left: Self, right: Value) -> View.Filter { left.test("eq", right) }

    /// Fulfilled if the field has no value, or one that differs from the given one.
    public static func != (left: Self, right: Value) -> View.Filter { left.test("ne", right) }

    /// Fulfilled if the field's value is less than the given one.
    public static func < (left: Self, right: Value) -> View.Filter { left.test("lt", right) }

    /// Fulfilled if the field's value is at most the given one.
    public static func <= (left: Self, right: Value) -> View.Filter { left.test("lte", right) }

    /// Fulfilled if the field's value is greater than the given one.
    public static func > (left: Self, right: Value) -> View.Filter { left.test("gt", right) }

    /// Fulfilled if the field's value is at least the given one.
    public static func >= (left: Self, right: Value) -> View.Filter { left.test("gte", right) }

    /// Fulfilled if the field's value equals one of the given ones.
    public func isIn(_ values: [Value]) -> View.Filter {
        test("in", .array(values.map { RulePart.literal($0, conventions) }))
    }
}

extension View.Field {
    /// Fulfilled if the field's value equals the other field's.
    public static func == (left: Self, right: Self) -> View.Filter { left.test("eq", right) }

    /// Fulfilled if the field has no value, or one that differs from the other field's.
    public static func != (left: Self, right: Self) -> View.Filter { left.test("ne", right) }

    /// Fulfilled if the field's value is less than the other field's.
    public static func < (left: Self, right: Self) -> View.Filter { left.test("lt", right) }

    /// Fulfilled if the field's value is at most the other field's.
    public static func <= (left: Self, right: Self) -> View.Filter { left.test("lte", right) }

    /// Fulfilled if the field's value is greater than the other field's.
    public static func > (left: Self, right: Self) -> View.Filter { left.test("gt", right) }

    /// Fulfilled if the field's value is at least the other field's.
    public static func >= (left: Self, right: Self) -> View.Filter { left.test("gte", right) }

    /// Fulfilled if the field's value equals the parameter's.
    public static func == (left: Self, right: View.Parameter) -> View.Filter { left.test("eq", right) }

    /// Fulfilled if the field has no value, or one that differs from the parameter's.
    public static func != (left: Self, right: View.Parameter) -> View.Filter { left.test("ne", right) }

    /// Fulfilled if the field's value is less than the parameter's.
    public static func < (left: Self, right: View.Parameter) -> View.Filter { left.test("lt", right) }

    /// Fulfilled if the field's value is at most the parameter's.
    public static func <= (left: Self, right: View.Parameter) -> View.Filter { left.test("lte", right) }

    /// Fulfilled if the field's value is greater than the parameter's.
    public static func > (left: Self, right: View.Parameter) -> View.Filter { left.test("gt", right) }

    /// Fulfilled if the field's value is at least the parameter's.
    public static func >= (left: Self, right: View.Parameter) -> View.Filter { left.test("gte", right) }

    /// Fulfilled if the field's value equals an element of the parameter, which then has to be an array.
    public func isIn(_ parameter: View.Parameter) -> View.Filter { test("in", parameter) }

    /// Fulfilled if the field's value equals an element of the other field, an array.
    public func isIn(_ field: View.Field<[Value]>) -> View.Filter { test("in", field) }

    /// Fulfilled if the field is a string that begins with the parameter, which then has to be a string.
    public func hasPrefix(_ parameter: View.Parameter) -> View.Filter { test("prefix", parameter) }

    /// Fulfilled if the field is a string that begins with the other field, a string.
    public func hasPrefix(_ field: View.Field<String>) -> View.Filter { test("prefix", field) }

    /// Fulfilled if the field is a string that begins with the given one.
    public func hasPrefix(_ prefix: String) -> View.Filter { test("prefix", operand(prefix)) }
}

extension View.Field where Value == JSONValue {
    /// Fulfilled if the field's value equals an element of the other field, if that is an array.
    public func isIn(_ field: View.Field<JSONValue>) -> View.Filter { test("in", field) }

    /// Fulfilled if the field is a string that begins with the other field, if that is a string.
    public func hasPrefix(_ field: View.Field<JSONValue>) -> View.Filter { test("prefix", field) }
}

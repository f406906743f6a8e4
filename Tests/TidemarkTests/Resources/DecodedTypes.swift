import Foundation

/// Types that use every feature of a decoder.
enum DecodedTypes {
    struct Integers: Decodable, Equatable {
        var a: Int8
        var b: Int16?
        var c: Int32
        var d: Int64?
        var e: Int
        var f: UInt8
        var g: UInt16?
        var h: UInt32
        var i: UInt64?
        var j: UInt
    }

    struct Photo: Decodable, Equatable {
        struct Camera: Decodable, Equatable {
            var maker: String
            var lenses: [Lens]
        }

        struct Lens: Decodable, Equatable {
            var millimetres: Int
            var aperture: Float?
        }

        var id: String
        var size: UInt64
        var tags: [String]
        var ratio: Double
        var isKept: Bool
        var camera: Camera?
        var marks: [[Double?]]
        var note: String?
        var flag: Bool?
        var weight: Double?
    }

    struct Foreign: Decodable, Equatable {
        var id: UUID
        var taken: Date
        var seen: Date?
        var link: URL
        var bytes: Data
        var price: Decimal
        var prices: [Decimal?]
        var dates: [Date]
        var others: [UUID: Int]?
    }

    enum Color: String, Codable, CodingKeyRepresentable {
        case red, blue
    }

    struct Maps: Decodable, Equatable {
        var counts: [String: Int]
        var names: [Int: String]
        var colors: [Color: [String: Bool]]
        var set: Set<String>
        var range: Range<Int>
    }

    enum Shape: Codable, Equatable {
        case circle(radius: Double)
        case label(String, size: Int?)
        case none
    }

    struct Shapes: Decodable, Equatable {
        var shapes: [Shape]
        var color: Color
        var colors: [Color?]
    }

    class Animal: Decodable {
        private enum Keys: String, CodingKey { case name }

        var name: String

        required init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .name)
        }
    }

    final class Dog: Animal, Equatable {
        private enum Keys: String, CodingKey { case age, tail, parent, parents }

        var age: Int
        var tail: Double?
        var parent: Animal?

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            age = try container.decode(Int.self, forKey: .age)
            tail = try container.decodeIfPresent(Double.self, forKey: .tail)
            let optional = try container.superDecoder(forKey: .parent)
            parent = try optional.singleValueContainer().decodeNil() ? nil : Animal(from: optional)
            var parents = try container.nestedUnkeyedContainer(forKey: .parents)
            if !parents.isAtEnd { parent = try Animal(from: parents.superDecoder()) }
            try super.init(from: container.superDecoder())
        }

        static func == (left: Dog, right: Dog) -> Bool {
            left.name == right.name && left.age == right.age && left.tail == right.tail
                && left.parent?.name == right.parent?.name
        }
    }

    /// Decodes by hand, and records the coding path.
    struct Walker: Decodable, Equatable {
        enum Keys: Int, CodingKey { case parts = 7, inner = 8 }

        struct AnyName: CodingKey {
            var stringValue: String
            var intValue: Int? { stringValue.count }

            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        struct Place: Decodable, Equatable {
            var path: [String]
            var number: Int

            init(from decoder: any Decoder) throws {
                path = decoder.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" }
                number = try decoder.singleValueContainer().decode(Int.self)
            }
        }

        var notes: [String] = []
        var places: [Place] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            notes.append("\(container.allKeys.map(\.rawValue).sorted()) \(container.contains(.parts))")
            notes.append("\(try container.decodeNil(forKey: .inner))")
            var parts = try container.nestedUnkeyedContainer(forKey: .parts)
            while !parts.isAtEnd {
                notes.append("\(parts.currentIndex) of \(parts.count ?? -1)")
                if try parts.decodeNil() { continue }
                if let text = try? parts.decodeIfPresent(String.self) {
                    notes.append(text)
                } else if var list = try? parts.nestedUnkeyedContainer() {
                    while !list.isAtEnd { places.append(try list.decode(Place.self)) }
                } else if let members = try? parts.nestedContainer(keyedBy: AnyName.self) {
                    for key in members.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
                        places.append(try members.decode(Place.self, forKey: key))
                    }
                } else {
                    places.append(try parts.decode(Place.self))
                }
            }
            let inner = try container.nestedContainer(keyedBy: AnyName.self, forKey: .inner)
            for key in inner.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
                if let place = try inner.decodeIfPresent(Place.self, forKey: key) { places.append(place) }
            }
            _ = try parts.decode(Bool.self)
        }
    }

    struct Wrapped<Value: Decodable & Equatable>: Decodable, Equatable {
        var value: Value

        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Value.self)
        }
    }

    struct Raw: RawRepresentable, Decodable, Equatable { var rawValue: Int16 }

    struct Wrappers: Decodable, Equatable {
        var raw: Raw
        var date: Wrapped<Date>
        var url: Wrapped<URL?>
        var list: Wrapped<[Wrapped<String>]>
        var either: Wrapped<Double>?
        var numbers: [Float]
    }
}

import Tidemark
import TidemarkHTTPRules
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

extension JSONLine {
    /// Writes `headers`: an array of pairs, in order.
    package mutating func headers(_ fields: HeaderFields) {
        name("headers")
        array { line in
            for field in fields.fields {
                line.array { line in
                    line.value(field.name)
                    line.value(field.value)
                }
            }
        }
    }

    /// Writes `body` if the bytes are valid UTF-8 text, otherwise `body_base64`.
    package mutating func body(_ bytes: [UInt8], isText: Bool) {
        if isText, String(validating: bytes, as: UTF8.self) != nil {
            member("body", Optional(ByteString(bytes)))
        } else {
            member("body_base64", Optional(ByteString(Base64.text(bytes))))
        }
    }
}

extension Params {
    /// Reads and checks headers, given as an object or as an array of `[name, value]` pairs.
    ///
    /// - Returns: nil if absent.
    /// - Throws: ``CacheError`` `invalidParams` for another shape, too many fields, or an invalid name or value.
    func headers(_ name: String) throws(CacheError) -> HeaderFields? {
        guard let value = value(name) else { return nil }
        var fields = HeaderFields()
        if let elements = value.elements {
            for element in elements {
                guard let pair = element.elements, pair.count == 2, let key = pair[0].text, let text = pair[1].text
                else {
                    throw wrong(name, "an object of strings, or an array of pairs [name, value]")
                }
                fields.fields.append(.init(ByteString(key), ByteString(text)))
            }
        } else if let members = value.members {
            for (key, element) in members.sorted(by: { ByteString($0.key) < ByteString($1.key) }) {
                guard let text = element.text else {
                    throw wrong(name, "an object of strings, or an array of pairs [name, value]")
                }
                fields.fields.append(.init(ByteString(key), ByteString(text)))
            }
        } else {
            throw wrong(name, "an object of strings, or an array of pairs [name, value]")
        }
        guard fields.fields.count <= HeaderFields.countMax,
            fields.fields.reduce(0, { $0 + $1.name.bytes.count + $1.value.bytes.count }) <= HeaderFields.byteCountMax
        else {
            throw CacheError(
                .invalidParams,
                "\(self.name(name)) has too many fields: pass at most \(HeaderFields.countMax) of \(HeaderFields.byteCountMax) bytes"
            )
        }
        for field in fields.fields {
            if let fault = HeaderFields.fault(name: field.name, value: field.value) {
                throw CacheError(.invalidParams, "\(self.name(name)): \(fault)")
            }
        }
        return fields
    }

    /// Reads `body` or `body_base64`; nil if both are absent.
    func body() throws(CacheError) -> [UInt8]? {
        if let value = value("body") {
            guard let text = value.text else { throw wrong("body", "a string") }
            guard value.text == nil || self.value("body_base64") == nil else {
                throw CacheError(.invalidParams, "body and body_base64 are both there: pass one of them")
            }
            return text
        }
        guard let value = value("body_base64") else { return nil }
        guard let text = value.text, let bytes = Base64.bytes(text) else {
            throw wrong("body_base64", "a string of Base64")
        }
        return bytes
    }
}

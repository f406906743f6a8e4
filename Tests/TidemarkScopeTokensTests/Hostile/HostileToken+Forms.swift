import TidemarkServer

@testable import TidemarkScopeTokens

extension HostileToken {
    /// Tokens in another form than three parts of base64url.
    static func forms(_ forge: TokenForge) throws -> [HostileToken] {
        let good = try forge.token()
        let parts = good.split(separator: ".").map { String($0) }
        let (header, claims, signature) = (parts[0], parts[1], parts[2])
        let text = header + "." + claims
        return [
            HostileToken("empty", ""),
            HostileToken("one dot", "."),
            HostileToken("two dots", ".."),
            HostileToken("three dots", "..."),
            HostileToken("one part", header),
            HostileToken("two parts", text),
            HostileToken("two parts and a dot", text + "."),
            HostileToken("no header", ".\(claims).\(signature)"),
            HostileToken("no claims", "\(header)..\(signature)"),
            HostileToken("four parts", good + ".AAAA"),
            HostileToken("a dot behind", good + "."),
            HostileToken("a dot before", "." + good),
            HostileToken("five parts, as an encrypted token", "\(header).\(claims).\(claims).\(claims).\(signature)"),
            HostileToken("a thousand dots", String(repeating: ".", count: 1_000)),
            HostileToken("a token for the server", String(repeating: "0123456789abcdef", count: 4)),
            HostileToken(
                "the JSON form", #"{"payload":"\#(claims)","protected":"\#(header)","signature":"\#(signature)"}"#),
            HostileToken("white space before", " " + good),
            HostileToken("white space behind", good + " "),
            HostileToken("a line break behind", good + "\n"),
            HostileToken(
                "a line break inside the signature", text + "." + signature.prefix(4) + "\r\n" + signature.dropFirst(4)),
            HostileToken("a NUL behind", good + "\0"),
            HostileToken("a list of two tokens", good + "," + good),
            HostileToken("padding behind the signature", good + "="),
            HostileToken("padding behind the header", "\(header)=.\(claims).\(signature)"),
            HostileToken("padding as escapes", good + "%3D"),
            HostileToken("the other alphabet in the signature", text + ".+" + signature.dropFirst()),
            HostileToken("a slash in the signature", text + "./" + signature.dropFirst()),
            HostileToken("a fullwidth letter in the signature", text + ".\u{FF21}" + signature.dropFirst()),
            HostileToken("a length that no bytes have", text + "." + signature.prefix(41)),
            HostileToken(
                "bits behind the last byte of the signature", text + "." + signature.dropLast() + next(signature)),
            HostileToken("bits behind the last byte of the header", "eyJhbGciOiJIUzI1NiJ9eyJ.\(claims).\(signature)"),
            HostileToken(
                "a byte order mark before the header", try forge.token(header: "\u{FEFF}" + TokenForge.header(.hs256))),
            HostileToken("a very long signature", text + "." + String(repeating: "A", count: 20_000), .tooLong),
            HostileToken("a megabyte", String(repeating: "a.b.", count: 1 << 18), .tooLong),
            HostileToken("one byte too many", String(repeating: "A", count: 16_385), .tooLong),
            HostileToken("as long as is allowed", String(repeating: "A", count: 16_384)),
        ]
    }

    /// The last character of a text with a bit that belongs to no byte.
    private static func next(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let index = text.last.flatMap { alphabet.firstIndex(of: $0) } ?? 0
        return String(alphabet[index ^ 1])
    }
}

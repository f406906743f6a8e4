import ArgumentParser
import TidemarkTesting

extension Share: ExpressibleByArgument {
    /// Parses a share, such as `0.01` or `1%`.
    public init?(argument: String) {
        self.init(text: argument)
    }

    /// The share as shown in help.
    public var defaultValueDescription: String { partsPerMillion == 0 ? "0" : "\(partsPerMillion) ppm" }
}

extension SyntheticSettings.Popularity: ExpressibleByArgument {}

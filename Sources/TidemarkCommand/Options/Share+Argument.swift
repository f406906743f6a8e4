import ArgumentParser
import TidemarkTesting

extension Share: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(text: argument)
    }

    public var defaultValueDescription: String { partsPerMillion == 0 ? "0" : "\(partsPerMillion) ppm" }
}

extension SyntheticSettings.Popularity: ExpressibleByArgument {}

// TidemarkCommandTests

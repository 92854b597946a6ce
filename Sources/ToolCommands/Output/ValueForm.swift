import Foundation
import ObjectModel
import ObjectQuery

/// The form of the values of a column: the precision of the attribute that they come from, and whether people see them rounded.
struct ValueForm {
  var precision: Attribute.Precision?
  /// Whether the values are means, which have more digits than anyone reads.
  var isMean = false

  /// People see two decimal places more of a mean than its values have, and six if the values have no precision.
  private static let (placesOfMean, placesOfReal) = (2, 6)

  /// Returns the value as people see it. Programs get all digits.
  func shown(_ value: Value) -> Value {
    guard isMean else { return value }
    var places = ValueForm.placesOfReal
    if case .places(let declared) = precision { places = declared + ValueForm.placesOfMean }
    switch value {
    case .double(let number):
      let scale = pow(10, Double(places))
      let scaled = (number * scale).rounded()
      // Beyond these bounds a number has no digits to round.
      return abs(scaled) < 9e15 ? .double(scaled / scale) : value
    case .decimal(let number) where number.isFinite:
      return Attribute.Precision.places(places).rounded(value)
    default: return value
    }
  }
}

extension ValueForm {
  /// Finds the form of the values of an expression for the objects of an entity. Sums, minimums and the like have the form of
  /// their values.
  init(of expression: QueryExpression, _ entity: String, _ model: Model) {
    switch expression {
    case .keyPath(of: .evaluatedObject, let path):
      let names = path.filter { !$0.hasPrefix("@") }
      if path.contains("@count") { return }
      precision = model.attribute(at: names, of: entity)?.validation.precision
      isMean = path.contains("@avg")
    case .function(let function, let arguments):
      let forms = arguments.map { ValueForm(of: $0, entity, model) }
      switch function {
      case .average, .median, .standardDeviation:
        self = ValueForm(precision: forms.first?.precision, isMean: true)
      case .sum, .min, .max, .mode, .distinct, .abs, .coalesce, .noIndex:
        self = forms.first ?? ValueForm()
      case .trunc where forms.first?.precision == .day:
        // The first day of a week, a month or a year.
        self = forms[0]
      case .add, .subtract:
        if forms.count == 2, forms[0].precision == forms[1].precision { self = forms[0] }
      case .multiply:
        self = ValueForm.product(arguments, forms, entity, model)
      default: break
      }
    default: break
    }
  }

  /// Returns the form of a price times a whole number, which is a price.
  private static func product(
    _ factors: [QueryExpression], _ forms: [ValueForm], _ entity: String, _ model: Model
  ) -> ValueForm {
    func isWhole(_ factor: QueryExpression) -> Bool {
      switch factor {
      case .constant(.integer): true
      case .keyPath(of: .evaluatedObject, let path):
        model.attribute(at: path, of: entity)?.type.traits.content == .integer
      default: false
      }
    }
    for (index, form) in forms.enumerated() where factors.count == 2 {
      if form.precision != nil, isWhole(factors[1 - index]) { return form }
    }
    return ValueForm()
  }
}

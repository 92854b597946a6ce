// swift-format-ignore-file
// Made from the model "Trips", version "Trips 2", by Quire. Do not edit: change the model and make
// it anew.

public import Quire

/// The model "Trips", version "Trips 2", and the classes that were made from it.
nonisolated public enum TripsModel {
  /// The model.
  public static let model: Model = read(source)

  /// All versions of the model, which migrations go over.
  public static let versions: ModelVersions = ModelVersions(
    [
      ModelVersions.Version("Trips", model: read(source1)),
      ModelVersions.Version("Trips 2", model: model),
    ], currentName: "Trips 2")

  /// The classes of the entities, in the order of the model.
  public static let classes: [ManagedObject.Type] = [Museum.self, Person.self, Stop.self, Trip.self]

  /// Reads a source.
  private static func read(_ source: String) -> Model {
    do {
      return try Model(ModelSource.read(Array(source.utf8)))
    } catch {
      // It was written from a model that had no fault.
      fatalError("The model in TripsModel can't be read: \(error)")
    }
  }

  /// The model's source.
  private static let source =
    #"""
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22222" systemVersion="22G120" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="Trips 2">
        <entity name="Museum" representedClassName="Museum" parentEntity="Stop" syncable="YES">
            <attribute name="isFree" attributeType="Boolean" defaultValueString="NO" usesScalarValueType="YES"/>
            <attribute name="openingHours" optional="YES" attributeType="String"/>
        </entity>
        <entity name="Person" representedClassName="Person" syncable="YES">
            <attribute name="email" optional="YES" attributeType="String" regularExpressionString=".+@.+\..+"/>
            <attribute name="fullName" attributeType="String" minValueString="1" defaultValueString="" elementID="name"/>
            <attribute name="portrait" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <relationship name="trips" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Trip" inverseName="travellers" inverseEntity="Trip"/>
            <uniquenessConstraints>
                <uniquenessConstraint>
                    <constraint value="email"/>
                </uniquenessConstraint>
            </uniquenessConstraints>
        </entity>
        <entity name="Stop" representedClassName="Stop" syncable="YES">
            <attribute name="arrival" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <attribute name="latitude" attributeType="Double" minValueString="-90" maxValueString="90" defaultValueString="0.0" usesScalarValueType="YES"/>
            <attribute name="longitude" attributeType="Double" minValueString="-180" maxValueString="180" defaultValueString="0.0" usesScalarValueType="YES"/>
            <attribute name="name" attributeType="String" defaultValueString=""/>
            <attribute name="nights" attributeType="Integer 32" minValueString="0" maxValueString="365" defaultValueString="1" usesScalarValueType="YES"/>
            <attribute name="website" optional="YES" attributeType="URI"/>
            <relationship name="trip" maxCount="1" deletionRule="Nullify" destinationEntity="Trip" inverseName="stops" inverseEntity="Trip"/>
            <fetchIndex name="byArrival">
                <fetchIndexElement property="arrival" type="Binary" order="ascending"/>
            </fetchIndex>
        </entity>
        <entity name="Trip" representedClassName="Trip" syncable="YES">
            <attribute name="budget" optional="YES" attributeType="Decimal" minValueString="0" defaultValueString="0"/>
            <attribute name="id" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
            <attribute name="name" attributeType="String" minValueString="1" maxValueString="100" defaultValueString="Untitled"/>
            <attribute name="start" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <attribute name="stopCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="stops.@count" usesScalarValueType="YES"/>
            <relationship name="stops" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Stop" inverseName="trip" inverseEntity="Stop"/>
            <relationship name="travellers" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" inverseName="trips" inverseEntity="Person"/>
            <userInfo>
                <entry key="icon" value="suitcase"/>
            </userInfo>
        </entity>
        <fetchRequest name="tripsAfter" entity="Trip" predicateString="start >= $DATE"/>
        <configuration name="Places">
            <memberEntity name="Stop"/>
            <memberEntity name="Museum"/>
        </configuration>
    </model>
    """#

  /// The source of "Trips".
  private static let source1 =
    #"""
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22222" systemVersion="22G120" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="Trips 1">
        <entity name="Person" representedClassName="Person" syncable="YES">
            <attribute name="email" optional="YES" attributeType="String" regularExpressionString=".+@.+"/>
            <attribute name="name" attributeType="String" minValueString="1" defaultValueString=""/>
            <relationship name="trips" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Trip" inverseName="travellers" inverseEntity="Trip"/>
            <uniquenessConstraints>
                <uniquenessConstraint>
                    <constraint value="email"/>
                </uniquenessConstraint>
            </uniquenessConstraints>
        </entity>
        <entity name="Stop" representedClassName="Stop" syncable="YES">
            <attribute name="arrival" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <attribute name="latitude" attributeType="Double" minValueString="-90" maxValueString="90" defaultValueString="0.0" usesScalarValueType="YES"/>
            <attribute name="longitude" attributeType="Double" minValueString="-180" maxValueString="180" defaultValueString="0.0" usesScalarValueType="YES"/>
            <attribute name="name" attributeType="String" defaultValueString=""/>
            <attribute name="nights" attributeType="Integer 16" minValueString="0" maxValueString="365" defaultValueString="1" usesScalarValueType="YES"/>
            <relationship name="trip" maxCount="1" deletionRule="Nullify" destinationEntity="Trip" inverseName="stops" inverseEntity="Trip"/>
        </entity>
        <entity name="Trip" representedClassName="Trip" syncable="YES">
            <attribute name="budget" optional="YES" attributeType="Decimal" minValueString="0" defaultValueString="0"/>
            <attribute name="name" attributeType="String" minValueString="1" maxValueString="200" defaultValueString="Untitled"/>
            <attribute name="start" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <relationship name="stops" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Stop" inverseName="trip" inverseEntity="Stop"/>
            <relationship name="travellers" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" inverseName="trips" inverseEntity="Person"/>
        </entity>
    </model>
    """#
}

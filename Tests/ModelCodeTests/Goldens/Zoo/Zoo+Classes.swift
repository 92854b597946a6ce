// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Quire

/// The model "Zoo", and the classes that were made from it.
nonisolated public enum ZooModel {
  /// The model.
  public static let model: Model = read(source)

  /// The classes of the entities, in the order of the model.
  public static let classes: [ManagedObject.Type] = [
    Animal.self,
    Creature.self,
    Data.self,
    Enclosure.self,
    ZooKeeper.self,
    Lion.self,
    TypeObject.self,
    Visitor.self,
    Größe.self,
  ]

  /// Reads a source.
  private static func read(_ source: String) -> Model {
    do {
      return try Model(ModelSource.read(Array(source.utf8)))
    } catch {
      // It was written from a model that had no fault.
      fatalError("The model in ZooModel can't be read: \(error)")
    }
  }

  /// The model's source.
  private static let source =
    #"""
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22222" systemVersion="22G120" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
        <entity name="Animal" representedClassName=".Animal" parentEntity="Creature" syncable="YES">
            <attribute name="birthday" attributeType="Date" usesScalarValueType="NO"/>
            <attribute name="cache" optional="YES" transient="YES"/>
            <attribute name="class" attributeType="String" defaultValueString="Mammalia"/>
            <attribute name="colour" optional="YES" attributeType="Transformable" valueTransformerName="ColourTransformer" customClassName="Colour"/>
            <attribute name="feedingCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="feedings.@count" usesScalarValueType="YES"/>
            <attribute name="habitat" attributeType="Composite" composite="Place"/>
            <attribute name="isHungry" attributeType="Boolean" defaultValueString="YES" usesScalarValueType="YES"/>
            <attribute name="legs" attributeType="Integer 16" minValueString="0" maxValueString="1000" defaultValueString="4" usesScalarValueType="YES"/>
            <attribute name="notes" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
            <attribute name="photo" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="price" optional="YES" attributeType="Decimal" minValueString="0"/>
            <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="TagsTransformer" customClassName="[String:Set&lt;Int>]"/>
            <attribute name="weight" optional="YES" attributeType="Float" minValueString="0.5" usesScalarValueType="YES"/>
            <relationship name="enclosure" maxCount="1" deletionRule="Nullify" destinationEntity="Enclosure" inverseName="animals" inverseEntity="Enclosure"/>
            <relationship name="feedings" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Data" inverseName="animal" inverseEntity="Data"/>
            <relationship name="friends" optional="YES" toMany="YES" maxCount="9" deletionRule="Nullify" destinationEntity="Animal" inverseName="friends" inverseEntity="Animal"/>
            <fetchedProperty name="neighbours" optional="YES">
                <fetchRequest name="fetchedPropertyFetchRequest" entity="Animal" predicateString="enclosure == $FETCH_SOURCE.enclosure"/>
            </fetchedProperty>
            <fetchIndex name="byWords">
                <fetchIndexElement property="class" type="FullText" order="ascending"/>
                <fetchIndexElement property="name" type="FullText" order="ascending"/>
            </fetchIndex>
        </entity>
        <entity name="Creature" representedClassName="Creature" isAbstract="YES" syncable="YES">
            <attribute name="description" optional="YES" attributeType="String"/>
            <attribute name="id" attributeType="UUID" usesScalarValueType="NO"/>
            <attribute name="init" optional="YES" attributeType="String"/>
            <attribute name="name" attributeType="String" minValueString="1" maxValueString="50" regularExpressionString="\w+( \w+)*"/>
            <attribute name="self" optional="YES" attributeType="Integer 64" usesScalarValueType="YES"/>
            <userInfo>
                <entry key="documentation" value="What lives in the zoo.&#10;&#10;Two animals may share a name, as long as they live in different enclosures; nobody has yet mixed them up."/>
            </userInfo>
        </entity>
        <entity name="Data" representedClassName="Data" syncable="YES">
            <attribute name="amount" attributeType="Double" minValueString="0" defaultValueString="0.0" usesScalarValueType="YES"/>
            <attribute name="deleted_" optional="YES" attributeType="Boolean" usesScalarValueType="YES"/>
            <attribute name="hash" optional="YES" attributeType="Binary"/>
            <attribute name="hash_" optional="YES" attributeType="Binary"/>
            <attribute name="isDeleted" optional="YES" attributeType="Boolean" usesScalarValueType="YES"/>
            <attribute name="moment" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <relationship name="animal" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Animal" inverseName="feedings" inverseEntity="Animal"/>
        </entity>
        <entity name="Enclosure" representedClassName="NSManagedObject" syncable="YES" codeGenerationType="class">
            <attribute name="capacity" attributeType="Integer 32" defaultValueString="1" usesScalarValueType="YES"/>
            <attribute name="plan" optional="YES" attributeType="URI"/>
            <relationship name="animals" optional="YES" toMany="YES" minCount="1" maxCount="20" deletionRule="Deny" destinationEntity="Animal" inverseName="enclosure" inverseEntity="Animal"/>
            <relationship name="keeper" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Keeper" inverseName="enclosures" inverseEntity="Keeper"/>
        </entity>
        <entity name="Keeper" representedClassName="ZooKeeper" syncable="YES" codeGenerationType="category">
            <attribute name="phone" optional="YES" attributeType="String"/>
            <relationship name="enclosures" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Enclosure" inverseName="keeper" inverseEntity="Enclosure"/>
            <relationship name="visitors" optional="YES" toMany="YES" deletionRule="No Action" destinationEntity="Visitor" inverseName="guide" inverseEntity="Visitor"/>
        </entity>
        <entity name="Lion" representedClassName="Zoo.Lion" parentEntity="Animal" syncable="YES" codeGenerationType="class">
            <attribute name="roar" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
        </entity>
        <entity name="Type" representedClassName="Type" parentEntity="Creature" syncable="YES"/>
        <entity name="Visitor" representedClassName="Visitor" syncable="YES" codeGenerationType="none">
            <attribute name="ticket" optional="YES" attributeType="String"/>
            <relationship name="guide" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Keeper" inverseName="visitors" inverseEntity="Keeper"/>
        </entity>
        <entity name="Größe" representedClassName="Größe" syncable="YES">
            <attribute name="höhe_in_m" attributeType="Double" usesScalarValueType="YES"/>
            <attribute name="名前" optional="YES" attributeType="String"/>
        </entity>
        <composite name="Data">
            <attribute name="unused" optional="YES" attributeType="String"/>
        </composite>
        <composite name="Place">
            <attribute name="address" optional="YES" attributeType="String"/>
            <attribute name="in" attributeType="Boolean" defaultValueString="NO" usesScalarValueType="YES"/>
            <attribute name="point" attributeType="Composite" composite="Point"/>
        </composite>
        <composite name="Point">
            <attribute name="latitude" attributeType="Double" defaultValueString="0.0" usesScalarValueType="YES"/>
            <attribute name="longitude" attributeType="Double" defaultValueString="0.0" usesScalarValueType="YES"/>
            <attribute name="measured" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
        </composite>
        <fetchRequest name="all" entity="Animal"/>
        <fetchRequest name="born between" entity="Animal" predicateString="birthday BETWEEN $DATES AND enclosure == $ENCLOSURE AND weight != $WEIGHT"/>
        <fetchRequest name="default" entity="Animal" predicateString="legs IN $LEGS OR habitat.point.latitude > $LATITUDE OR name CONTAINS[cd] $NAME OR feedings.@count > $COUNT OR price * 2 &lt; $PRICE OR price == $PRICE OR $FRIEND IN friends" fetchLimit="10"/>
        <fetchRequest name="ticketless" entity="Visitor" predicateString="ticket == nil"/>
    </model>
    """#
}

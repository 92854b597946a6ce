import ModelNotations
import ObjectModel

/// A model for a usual kind of document, for `quire new --template`.
enum ModelTemplate: String, CaseIterable {
  case todo, notes, contacts

  var model: Model {
    get throws { try Model(ModelText.read(Array(text.utf8), path: rawValue)) }
  }

  /// The text of the model.
  var text: String {
    switch self {
    case .todo:
      """
      entity List
        name: String, length 1...100
        tasks: [Task], inverse list, ordered, delete cascade
        unique name

      entity Task
        title: String, length 1...500
        done: Bool = false
        due: Date?
        priority: Int16 = 0, min 0, max 3
        notes: String?
        created: Date?
        list: List, inverse tasks
        tags: [Tag], inverse tasks
        index byDue: due

      entity Tag
        name: String, length 1...50
        tasks: [Task], inverse tags
        unique name

      request openTasks: Task, where "done == NO", sort due

      """
    case .notes:
      """
      entity Folder
        name: String, length 1...100
        parent: Folder?, inverse folders
        folders: [Folder], inverse parent, delete cascade
        notes: [Note], inverse folder, delete cascade

      entity Note
        title: String = ""
        text: String = ""
        created: Date?
        modified: Date?
        pinned: Bool = false
        folder: Folder?, inverse notes
        tags: [Tag], inverse notes
        attachments: [Attachment], inverse note, ordered, delete cascade
        index byModified: modified descending

      entity Tag
        name: String, length 1...50
        notes: [Note], inverse tags
        unique name

      entity Attachment
        name: String
        mediaType: String?
        data: Data?, external
        note: Note, inverse attachments

      """
    case .contacts:
      """
      entity Contact, abstract
        notes: String?
        addresses: [Address], inverse contact, ordered, delete cascade
        groups: [Group], inverse contacts

      entity Person: Contact
        firstName: String = ""
        lastName: String = ""
        birthday: Date?
        photo: Data?, external
        company: Company?, inverse people
        index byName: lastName, firstName

      entity Company: Contact
        name: String, length 1...200
        website: URL?
        people: [Person], inverse company

      entity Address
        label: String = "home"
        email: String?, matches ".+@.+"
        phone: String?
        street: String?
        city: String?
        postalCode: String?
        country: String?
        contact: Contact, inverse addresses

      entity Group
        name: String, length 1...100
        contacts: [Contact], inverse groups
        unique name

      """
    }
  }
}
